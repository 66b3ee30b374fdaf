try{const t=localStorage.getItem("verbatim:theme");if(t==="dark"||t==="light")document.documentElement.dataset.theme=t}catch{}
