// What the checks ask of a page. It is evaluated in the page, script on or off.
(() => {
	const all = (selector, root = document) => [...root.querySelectorAll(selector)];
	const clean = text => text.replace(/\s+/g, " ").trim();
	const made = "button, input, [role=status], .tag, .echo, .memory, .rail, .now, .ctl";
	const rgb = text => (text.match(/[\d.]+/g) || []).map(Number);
	const seen = colour => colour.length === 3 || colour[3] > 0;
	const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
	const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
	// ground is the colour behind an element.
	const ground = e => {
		for (; e; e = e.parentElement) {
			const colour = rgb(getComputedStyle(e).backgroundColor);
			if (seen(colour)) return colour;
		}
		return [255, 255, 255];
	};
	const look = {
		all, clean,
		text: element => clean(element.textContent),
		// shown tells whether an element takes up room and is not hidden.
		shown: e => e.checkVisibility({contentVisibilityAuto: true, visibilityProperty: true}) && e.getClientRects().length > 0,
		openAll: () => all("details").forEach(d => d.open = true),
		// words is the text of the page without what the script made.
		words: () => {
			const copy = document.body.cloneNode(true);
			all("script, svg", copy).forEach(e => e.remove());
			all(made, copy).forEach(e => e.remove());
			return clean(copy.textContent);
		},
		labels: () => [...new Set(all("button").map(b => clean(b.textContent)))].filter(l => !/^\d+$/.test(l)).sort(),
		describe: e => !e || e === document.body ? "" : e.tagName.toLowerCase() + (e.id ? "#" + e.id : "") + (e.className && typeof e.className === "string" ? "." + e.className.split(" ").join(".") : "") + " " + clean(e.textContent).slice(0, 30),
		ring: () => {
			const e = document.activeElement, style = getComputedStyle(e.closest(".opt") || e);
			return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 3;
		},
		// boxes that hold more than they show.
		wide: () => all("*").filter(e => e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX) && look.shown(e)),
		// unnamed gives those of them that keys cannot scroll.
		unnamed: () => look.wide().filter(e => e.tabIndex < 0 || !e.getAttribute("aria-label") || e.getAttribute("role") !== "region").map(look.describe),
		// beyond gives what makes the page wider than the screen.
		beyond: () => {
			const width = document.documentElement.clientWidth;
			if (document.documentElement.scrollWidth <= width) return [];
			return [`${document.documentElement.scrollWidth} px`, ...all("main *").filter(e => e.getBoundingClientRect().right > width && !e.closest(".scroll, .wide")).slice(0, 5).map(look.describe)];
		},
		// ask uses questions, and gives what each says.
		ask: questions => questions.map(({ID, Key, Wrong}) => {
			const form = document.getElementById(ID), check = form.querySelector("button.main");
			const says = letter => {
				if (letter) form.querySelector(`.opt[data-letter="${letter}"] input`).click();
				check.click();
				const said = look.text(form.querySelector("[role=status]"));
				if (look.text(check) === "Answer again") check.click(); // which clears it
				return said;
			};
			return {empty: says(), wrong: Wrong.map(says), right: says(Key)};
		}),
		small: () => all("a, button, input:not([disabled]), summary, label.opt").filter(look.shown).filter(e => {
			if (e.matches("input")) e = e.closest("label") || e;
			const box = e.getBoundingClientRect();
			const sentence = e.matches("a") && getComputedStyle(e).display === "inline";
			const least = e.matches(".opt, .player button, .acts button") ? 43.9 : 23.9;
			return !sentence && !e.matches(".skip") && (box.width < least || box.height < least);
		}).map(look.describe),
		// contrast gives the texts that stand out less than least from their ground.
		contrast: least => {
			const poor = new Map(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			while (walker.nextNode()) {
				const e = walker.currentNode.parentElement, style = getComputedStyle(e);
				if (!clean(walker.currentNode.data) || !look.shown(e) || e.closest("script, .vh, .skip")) continue;
				const r = ratio(rgb(e instanceof SVGElement ? style.fill : style.color), ground(e));
				if (r < least) poor.set(look.describe(e), Math.round(r * 100) / 100);
			}
			return [...poor].map(([what, r]) => `${r} ${what}`);
		},
		// edges gives the controls whose outline, a border or a filling, stands
		// out less than least from what is around them. One that is all text,
		// as a link is, has none; a native radio button has the browser's.
		edges: least => all("button, input:not([type=radio]), .opt, .pn a, a.go").filter(look.shown).flatMap(e => {
			const style = getComputedStyle(e), around = ground(e.parentElement);
			const sides = ["Top", "Right", "Bottom", "Left"].filter(s => style["border" + s + "Style"] !== "none" && parseFloat(style["border" + s + "Width"]) > 0);
			const lines = sides.map(s => rgb(style["border" + s + "Color"])).filter(seen);
			const filling = rgb(style.backgroundColor);
			if (!lines.length && !seen(filling)) return [];
			const best = Math.max(...lines.map(c => ratio(c, around)), seen(filling) ? ratio(filling, around) : 0);
			return best < least ? [`${Math.round(best * 100) / 100} ${look.describe(e)}`] : [];
		}),
		// rings gives the stops of the keyboard whose ring stands out less than
		// least from what is around it, the stop's own ground where it lies inside.
		rings: least => {
			const poor = new Map();
			for (const e of all("a[href], button, input:not([disabled]), summary, [tabindex='0']").filter(look.shown)) {
				e.focus({focusVisible: true, preventScroll: true});
				if (document.activeElement !== e) continue;
				const ringed = e.closest(".opt") || e, style = getComputedStyle(ringed), inside = parseFloat(style.outlineOffset) < 0;
				if (style.outlineStyle === "none") { poor.set("no ring " + look.describe(e)); continue; }
				const r = ratio(rgb(style.outlineColor), ground(inside ? ringed : ringed.parentElement));
				if (r < least) poor.set(`${Math.round(r * 100) / 100} ${look.describe(e)}`);
			}
			document.activeElement.blur();
			return [...poor.keys()];
		},
	};
	globalThis.look = look;
	return true;
})()
