// What build -serve adds to a page while its author writes: it listens for news
// of this page, and loads it anew without losing the place.
"use strict";
{
	const me = document.currentScript;
	const place = "verbatim:place:" + location.pathname;
	const focusable = "a[href],button,input,select,textarea,summary,[tabindex]";

	// Where the reader is: how far the last anchor above the fold is from the
	// top, for what stands before it may have grown, and what has the focus.
	let leaving = false;
	const leave = () => {
		leaving = true;
		const above = [...document.querySelectorAll("main [id]")].filter(e =>
			e.getClientRects().length && e.getBoundingClientRect().top <= 1).pop();
		const active = document.activeElement;
		sessionStorage.setItem(place, JSON.stringify({
			y: scrollY, id: above?.id, top: above?.getBoundingClientRect().top,
			focus: [...document.querySelectorAll(focusable)].indexOf(active), tag: active?.tagName,
		}));
		history.scrollRestoration = "manual";
		location.reload();
	};

	const back = from => {
		const anchor = from.y > 0 && from.id && document.getElementById(from.id);
		const y = anchor ? scrollY + anchor.getBoundingClientRect().top - from.top : from.y;
		scrollTo({top: y, behavior: "instant"});
	};
	const from = JSON.parse(sessionStorage.getItem(place));
	if (from) {
		sessionStorage.removeItem(place);
		const focused = document.querySelectorAll(focusable)[from.focus];
		if (focused?.tagName === from.tag) focused.focus({preventScroll: true});
		back(from);
		addEventListener("load", () => back(from));
	}

	// A new theme needs no new page.
	const restyle = styles => {
		const links = document.querySelectorAll("link[rel=stylesheet]:not([data-live])");
		styles.forEach((href, i) => { if (links[i]) links[i].href = href; });
	};

	const banner = (html, said) => {
		const old = document.getElementById("v-live");
		const open = old.querySelector("details")?.open;
		old.innerHTML = html;
		old.hidden = !html;
		const now = old.querySelector("details");
		if (now && open !== undefined) now.open = open;
		document.getElementById("v-said").textContent = said;
	};

	// What examples print now stands below what is recorded of them. A block
	// tells by its link to the example's page whose it is.
	const runs = html => {
		const shown = {};
		for (const link of document.querySelectorAll(".proof a[href]")) {
			const block = link.closest(".pv");
			if (block && html[link.pathname]) shown[link.pathname] = [...shown[link.pathname] ?? [], block];
		}
		const own = document.querySelector("main .pv");
		if (own && html[location.pathname]) shown[location.pathname] = [own];
		document.querySelectorAll(".v-run").forEach(e => e.remove());
		document.querySelectorAll(".pv[aria-busy]").forEach(e => e.removeAttribute("aria-busy"));
		for (const [page, blocks] of Object.entries(shown)) {
			for (const block of blocks) {
				block.insertAdjacentHTML("beforeend", html[page]);
				if (block.querySelector(".v-run.going")) block.setAttribute("aria-busy", "true");
			}
		}
	};

	let styles = me.dataset.styles, news;
	const hear = ({data}) => {
		const state = JSON.parse(data);
		if (state.page !== me.dataset.page) return leave();
		if (state.styles.join(" ") !== styles) restyle(state.styles);
		styles = state.styles.join(" ");
		banner(state.banner, state.said);
		runs(state.runs);
	};
	// Only a page that is seen listens: a browser has few connections to spare.
	const listen = () => {
		news?.close();
		if (document.visibilityState === "hidden") return;
		news = new EventSource("/.verbatim/news?page=" + encodeURIComponent(me.dataset.path));
		news.onmessage = hear;
	};
	document.addEventListener("visibilitychange", listen);
	addEventListener("pagehide", () => {
		news?.close();
		if (!leaving) history.scrollRestoration = "auto"; // for whoever comes back; before, it would move the page once more
	});
	addEventListener("pageshow", e => { if (e.persisted) listen(); });
	listen();
}
