// dom holds the functions by which the tests examine a page. It is evaluated in
// each page, also when the page's own script is disabled.
(() => {
	const all = (selector, root = document) => [...root.querySelectorAll(selector)];
	const clean = text => text.replace(/\s+/g, " ").trim();
	// scripted selects the elements that the page's script creates.
	const scripted = "button, input, [role=status], .tag, .echo, .memory, .rail, .now, .ctl";
	const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
	const visible = colour => colour.length === 3 || colour[3] > 0;
	const luminance = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
	// background returns the colour behind an element as [r, g, b].
	const background = e => {
		for (; e; e = e.parentElement) {
			const colour = rgb(getComputedStyle(e).backgroundColor);
			if (visible(colour)) return colour;
		}
		return [255, 255, 255];
	};
	const dom = {
		all, clean,
		text: element => clean(element.textContent),
		// shown reports whether an element is visible and has a size.
		shown: e => e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true}) && e.getClientRects().length > 0,
		openAll: () => all("details").forEach(d => d.open = true),
		// staticText returns the text of the page without the elements of its script.
		staticText: () => {
			const copy = document.body.cloneNode(true);
			all("script, svg", copy).forEach(e => e.remove());
			all(scripted, copy).forEach(e => e.remove());
			return clean(copy.textContent);
		},
		// labels returns the labels of all buttons except step numbers.
		labels: () => [...new Set(all("button").map(b => clean(b.textContent)))].filter(l => !/^\d+$/.test(l)).sort(),
		// describe returns a short name of an element for messages.
		describe: e => !e || e === document.body ? "" : e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (e.className && typeof e.className === "string" ? "." + e.className.split(" ").join(".") : "") + " " + clean(e.textContent).slice(0, 30),
		// hasFocusRing reports whether the focused element has a visible focus ring.
		hasFocusRing: () => {
			const e = document.activeElement, style = getComputedStyle(e.closest(".opt") || e);
			return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 3;
		},
		// scrollable returns the elements that scroll horizontally.
		scrollable: () => all("*").filter(e => e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX) && dom.shown(e)),
		// notKeyboardScrollable returns those of them without keyboard focus or name.
		notKeyboardScrollable: () => dom.scrollable().filter(e => e.tabIndex < 0 || !e.getAttribute("aria-label") || e.getAttribute("role") !== "region").map(dom.describe),
		// tooWide returns the elements that make the page wider than the window.
		tooWide: () => {
			const width = document.documentElement.clientWidth;
			if (document.documentElement.scrollWidth <= width) return [];
			return [`${document.documentElement.scrollWidth} px`, ...all("main *").filter(e => e.getBoundingClientRect().right > width && !e.closest(".scroll, .wide")).slice(0, 5).map(dom.describe)];
		},
		// tryQuestions checks each question without a choice, with each wrong option and
		// with the right one, and returns the messages.
		tryQuestions: questions => questions.map(({ID, Key, Wrong}) => {
			const form = document.getElementById(ID), check = form.querySelector("button.main");
			const message = letter => {
				if (letter) form.querySelector(`.opt[data-letter="${letter}"] input`).click();
				check.click();
				const text = dom.text(form.querySelector("[role=status]"));
				if (dom.text(check) === "Answer again") check.click(); // clears the answer
				return text;
			};
			return {empty: message(), wrong: Wrong.map(message), right: message(Key)};
		}),
		// smallTargets returns the controls that are too small to press.
		smallTargets: () => all("a, button, input:not([disabled]), summary, label.opt").filter(dom.shown).filter(e => {
			if (e.matches("input")) e = e.closest("label") || e;
			const box = e.getBoundingClientRect();
			const sentence = e.matches("a") && getComputedStyle(e).display === "inline";
			const min = e.matches(".opt, .player button, .acts button") ? 43.9 : 23.9;
			return !sentence && !e.matches(".skip") && (box.width < min || box.height < min);
		}).map(dom.describe),
		// lowContrastText returns the texts whose contrast with the background is below min.
		lowContrastText: min => {
			const found = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			while (walker.nextNode()) {
				const e = walker.currentNode.parentElement, style = getComputedStyle(e);
				if (!clean(walker.currentNode.data) || !dom.shown(e) || e.closest("script, .vh, .skip")) continue;
				const r = ratio(rgb(e instanceof SVGElement ? style.fill : style.color), background(e));
				if (r < min) found.set(dom.describe(e), Math.round(r * 100) / 100);
			}
			return [...found].map(([what, r]) => `${r} ${what}`);
		},
		// lowContrastControls returns the controls whose border or background has a contrast
		// below min with what surrounds them. Controls of text alone, such as links, have
		// neither; the browser draws radio buttons itself.
		lowContrastControls: min => all("button, input:not([type=radio]), .opt, .pn a, a.go").filter(dom.shown).flatMap(e => {
			const style = getComputedStyle(e), around = background(e.parentElement);
			const sides = ["Top", "Right", "Bottom", "Left"].filter(s => style["border" + s + "Style"] !== "none" && parseFloat(style["border" + s + "Width"]) > 0);
			const lines = sides.map(s => rgb(style["border" + s + "Color"])).filter(visible);
			const fill = rgb(style.backgroundColor);
			if (!lines.length && !visible(fill)) return [];
			const best = Math.max(...lines.map(c => ratio(c, around)), visible(fill) ? ratio(fill, around) : 0);
			return best < min ? [`${Math.round(best * 100) / 100} ${dom.describe(e)}`] : [];
		}),
		// lowContrastFocus returns the focusable elements whose focus ring is missing or has a
		// contrast below min with what surrounds it.
		lowContrastFocus: min => {
			const found = new Map();
			for (const e of all("a[href], button, input:not([disabled]), summary, [tabindex='0']").filter(dom.shown)) {
				e.focus({focusVisible: true, preventScroll: true});
				if (document.activeElement !== e) continue;
				const ringOwner = e.closest(".opt") || e, style = getComputedStyle(ringOwner), inside = parseFloat(style.outlineOffset) < 0;
				if (style.outlineStyle === "none") { found.set("no ring " + dom.describe(e)); continue; }
				const r = ratio(rgb(style.outlineColor), background(inside ? ringOwner : ringOwner.parentElement));
				if (r < min) found.set(`${Math.round(r * 100) / 100} ${dom.describe(e)}`);
			}
			document.activeElement.blur();
			return [...found.keys()];
		},
	};
	globalThis.dom = dom;
	return true;
})()
