// build -serve adds this script to every page. It receives the page's state as
// server-sent events, shows the problems and the output of running examples, and
// reloads the page when it changed, at the same scroll position and focus.
"use strict";
{
	const script = document.currentScript;
	const storageKey = "verbatim:place:" + location.pathname;
	const focusable = "a[href],button,input,select,textarea,summary,[tabindex]";

	// reload stores the position and the focus, and reloads the page. The position
	// is that of the last anchor above the window's top, because the text before it
	// may change its height.
	let reloading = false;
	const reload = () => {
		reloading = true;
		const above = [...document.querySelectorAll("main [id]")].filter(e =>
			e.getClientRects().length && e.getBoundingClientRect().top <= 1).pop();
		const active = document.activeElement;
		sessionStorage.setItem(storageKey, JSON.stringify({
			y: scrollY, id: above?.id, top: above?.getBoundingClientRect().top,
			focus: [...document.querySelectorAll(focusable)].indexOf(active), tag: active?.tagName,
		}));
		history.scrollRestoration = "manual";
		location.reload();
	};

	const restoreScroll = stored => {
		const anchor = stored.y > 0 && stored.id && document.getElementById(stored.id);
		const y = anchor ? scrollY + anchor.getBoundingClientRect().top - stored.top : stored.y;
		scrollTo({top: y, behavior: "instant"});
	};
	const stored = JSON.parse(sessionStorage.getItem(storageKey));
	if (stored) {
		sessionStorage.removeItem(storageKey);
		const focused = document.querySelectorAll(focusable)[stored.focus];
		if (focused?.tagName === stored.tag) focused.focus({preventScroll: true});
		restoreScroll(stored);
		addEventListener("load", () => restoreScroll(stored));
	}

	// Changed style sheets are replaced without a reload.
	const updateStyles = styles => {
		const links = document.querySelectorAll("link[rel=stylesheet]:not([data-live])");
		styles.forEach((href, i) => { if (links[i]) links[i].href = href; });
	};

	const updateBanner = (html, summary) => {
		const old = document.getElementById("v-live");
		const open = old.querySelector("details")?.open;
		old.innerHTML = html;
		old.hidden = !html;
		const now = old.querySelector("details");
		if (now && open !== undefined) now.open = open;
		document.getElementById("v-live-status").textContent = summary;
	};

	// The current output of an example is shown below each block of its recorded
	// output. The block's link to the example's page says which example it is.
	const updateRuns = html => {
		const blocksOf = {}; // by path of the example's page
		for (const link of document.querySelectorAll(".proof a[href]")) {
			const block = link.closest(".pv");
			if (block && html[link.pathname]) blocksOf[link.pathname] = [...blocksOf[link.pathname] ?? [], block];
		}
		const own = document.querySelector("main .pv");
		if (own && html[location.pathname]) blocksOf[location.pathname] = [own];
		document.querySelectorAll(".v-run").forEach(e => e.remove());
		document.querySelectorAll(".pv[aria-busy]").forEach(e => e.removeAttribute("aria-busy"));
		for (const [page, blocks] of Object.entries(blocksOf)) {
			for (const block of blocks) {
				block.insertAdjacentHTML("beforeend", html[page]);
				if (block.querySelector(".v-run.running")) block.setAttribute("aria-busy", "true");
			}
		}
	};

	let styles = script.dataset.styles, source;
	const receive = ({data}) => {
		const state = JSON.parse(data);
		if (state.page !== script.dataset.page) return reload();
		if (state.styles.join(" ") !== styles) updateStyles(state.styles);
		styles = state.styles.join(" ");
		updateBanner(state.banner, state.summary);
		updateRuns(state.runs);
	};
	// Only a visible page is connected, because browsers limit the connections to one
	// server.
	const connect = () => {
		source?.close();
		if (document.visibilityState === "hidden") return;
		source = new EventSource("/.verbatim/events?page=" + encodeURIComponent(script.dataset.path));
		source.onmessage = receive;
	};
	document.addEventListener("visibilitychange", connect);
	addEventListener("pagehide", () => {
		source?.close();
		// "auto" makes the browser restore the position at a later visit. If it were set
		// earlier, the browser would scroll this page a second time.
		if (!reloading) history.scrollRestoration = "auto";
	});
	addEventListener("pageshow", e => { if (e.persisted) connect(); });
	connect();
}
