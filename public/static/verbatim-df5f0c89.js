"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
const set = (element, name, value) => value == null ? element.removeAttribute(name) : element.setAttribute(name, value);
const make = (name, attributes, ...children) => {
const element = document.createElement(name);
for (const key in attributes) set(element, key, attributes[key]);
element.append(...children);
return element;
};
const button = (text, press, attributes) => {
const element = make("button", {type: "button", ...attributes}, text);
element.onclick = press;
return element;
};
const words = element => {
const copy = element.cloneNode(true);
all("[id]", copy).forEach(e => set(e, "id"));
return copy.childNodes;
};
const attempt = action => { try { return action(); } catch {} };
const at = hash => document.getElementById(attempt(() => decodeURIComponent(hash.slice(1))));
const live = make("div", {class: "vh", role: "status"});

function theme() {
const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
const other = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
const label = system.onchange = () => toggle.textContent = other() === "dark" ? "Dark" : "Light";
const toggle = button("", () => {
root.dataset.theme = other();
label();
attempt(() => localStorage.setItem("verbatim:theme", root.dataset.theme));
});
label();
one(".top nav").append(toggle);
}

function player() {
const list = one(".steps"), steps = list ? [...list.children] : [], last = steps.length - 1;
if (last < 1) return;
const frame = list.parentElement, off = "onbeforematch" in document.body ? "until-found" : "";
const heading = all("h2[id]").findLast(h => h.compareDocumentPosition(frame) & 4);
let now = 0, whole = false, width = 0;
const status = make("span", {role: "status"});
const previous = button("Previous", () => go(now - 1)), next = button("Next", () => go(now + 1), {class: "main"});
const every = button("", () => draw(now, !whole), {class: "link"});
const cells = steps.map((_, i) => button(i + 1, () => go(i), {"aria-label": "Step " + (i + 1)}));
const draw = (n, show) => {
now = n;
whole = show;
steps.forEach((step, i) => set(step, "hidden", whole || i === n ? null : off));
cells.forEach((cell, i) => {
cell.className = i < n ? "done" : "";
set(cell, "aria-current", i === n ? "step" : null);
});
set(previous, "aria-disabled", n === 0);
set(next, "aria-disabled", n === last);
frame.classList.toggle("whole", whole);
every.textContent = whole ? "One step at a time" : "Show all steps";
status.textContent = whole ? `All ${last + 1} steps` : `Step ${n + 1} of ${last + 1}`;
};
const go = n => {
if (!steps[n]) return;
draw(n, whole);
if (whole) steps[n].scrollIntoView();
history.replaceState(null, "", "#step-" + (n + 1));
};
const open = () => {
const target = at(location.hash);
const n = steps.findIndex(step => step.contains(target));
if (n < 0) return;
draw(n, whole);
target.scrollIntoView();
};
const fit = () => {
if (width === list.clientWidth) return;
width = list.clientWidth;
steps.forEach(step => set(step, "hidden"));
const height = Math.max(...steps.map(step => step.offsetHeight));
draw(now, whole);
list.style.minHeight = Math.min(height, innerHeight * .7) + "px";
};
steps.forEach((step, i) => step.addEventListener("beforematch", () => draw(i, whole)));
set(frame, "role", "group");
if (heading) set(frame, "aria-labelledby", heading.id);
frame.classList.add("player");
list.before(make("ol", {class: "rail ui", "aria-label": "All steps"}, ...cells.map(cell => make("li", {}, cell))), make("p", {class: "now ui soft"}, status));
list.after(make("div", {class: "ctl ui"}, previous, next, every));
draw(0, false);
new ResizeObserver(fit).observe(list);
addEventListener("hashchange", open);
open();
}

const lesson = `verbatim:${one("main").dataset.lesson}#`;
let remembering = false, printing = false;

function ask(form, changed) {
const {key, step, hash} = form.dataset, predicts = form.matches(".predict"), fold = one(".fold", form);
const label = predicts ? "Lock in my prediction" : "Check";
const rows = all(".opt", form), row = letter => rows.find(r => r.dataset.letter === letter);
const inputs = rows.map(r => make("input", {type: "radio", name: form.id, value: r.dataset.letter}));
const tags = rows.map(() => make("span", {class: "tag ui"}));
const status = make("div", {class: "fb", role: "status"}), check = make("button", {class: "main"}, label);
const target = at("#step-" + step);
const echoes = predicts ? [...new Set([target, one(".steps > li:last-child")])].filter(Boolean).map(li => li.appendChild(make("div", {class: "echo"}))) : [];
const said = letter => words(one(".txt", row(letter)));
const reason = letter => words(one(letter === key ? ".because" : `[data-for="${letter}"]`, form));
const say = (verdict, ...rest) => status.replaceChildren(make("b", {}, verdict), ...rest);
const mark = (letter, right) => rows.forEach((r, i) => {
const mine = r.dataset.letter === letter, good = r.dataset.letter === right;
r.className = good ? "opt key" : mine ? "opt mine" : "opt";
tags[i].textContent = [good && "Right answer", mine && (predicts ? "Your prediction" : "Your answer")].filter(Boolean).join(" · ");
});
const choose = letter => inputs.forEach(input => input.checked = input.value === letter);
const q = {form, predicts, tries: "", done: false};
q.keep = () => remembering && attempt(() => localStorage.setItem(q.slot, q.tries));
q.slot = lesson + form.id + ":" + hash;
q.clear = () => {
q.tries = "";
q.done = false;
mark();
choose();
[status, ...echoes].forEach(e => e.replaceChildren());
check.textContent = label;
if (!predicts) fold.open = false;
};
const predict = letter => {
q.tries = letter;
mark(letter);
say(`You predicted ${letter}. `, ...(target ? [make("a", {href: "#step-" + step}, "Step " + step), " answers this."] : []));
const line = (bold, ...rest) => make("p", {}, make("b", {}, bold), ...rest);
echoes.forEach(e => e.replaceChildren(line(`You predicted ${letter}: `, ...said(letter)),
letter === key ? line("That is right. ") : line(`The answer is ${key}: `, ...said(key)), make("div", {}, ...reason(letter))));
};
const answer = letter => {
q.tries += letter;
const right = letter === key, shown = letter === "!";
q.first ??= right;
q.done = right || q.tries.length > 1 || shown;
mark(letter, q.done ? key : "");
if (shown) say(`The answer is ${key}.`);
else say(right ? "Right. " : "Not right. ", `You chose ${letter}. `, ...reason(letter), ...(q.done && !right ? [` The answer is ${key}.`] : []));
if (q.done && !right) fold.open = true;
check.textContent = q.done ? "Answer again" : "Try again";
};
q.take = letter => {
predicts ? predict(letter) : answer(letter);
choose(predicts || q.done ? letter : "");
q.keep();
changed();
};
fold.addEventListener("toggle", () => { if (!predicts && fold.open && !q.done && !printing) q.take("!"); });
form.addEventListener("submit", event => {
event.preventDefault();
const chosen = inputs.find(input => input.checked);
if (q.done) return q.clear(), q.keep();
if (chosen) return q.take(chosen.value);
say("Choose an option first.");
inputs[0].focus();
});
rows.forEach((r, i) => (r.prepend(inputs[i]), r.append(tags[i])));
one("fieldset", form).after(status, make("p", {class: "acts ui"}, check));
return q;
}

function quiz() {
const tally = make("p", {class: "tally", role: "status"}), note = make("p", {class: "ui soft", role: "status"});
const count = () => {
const questions = asked.filter(q => !q.predicts), missed = questions.filter(q => q.first === false);
tally.replaceChildren();
if (!questions.length || questions.some(q => q.first === undefined)) return;
tally.append(make("b", {}, `${questions.length - missed.length} of ${questions.length} on the first try. `));
missed.forEach((q, i) => tally.append(i ? ", " : "Look again at ", make("a", {href: "#" + q.form.id}, "question " + q.form.dataset.n)));
};
const asked = all("form[data-key]").map(form => ask(form, count));
if (!asked.length) return;
const remember = button("Remember my answers on this device", () => {
try {
localStorage.setItem(lesson, "on");
remembering = true;
asked.forEach(q => q.keep());
note.textContent = "Answers are kept on this device from now on.";
set(remember, "aria-pressed", true);
} catch { note.textContent = "This browser keeps nothing for this page, so your answers cannot be remembered."; }
}, {"aria-pressed": false});
const reset = button("Reset", () => {
attempt(() => Object.keys(localStorage).forEach(k => k.startsWith(lesson) && localStorage.removeItem(k)));
remembering = false;
set(remember, "aria-pressed", false);
asked.forEach(q => (q.clear(), q.first = undefined));
count();
note.textContent = "All answers on this page are cleared.";
}, {class: "link"});
asked.at(-1).form.after(make("div", {class: "memory"}, tally, make("p", {class: "acts ui"}, remember, reset), note));
remembering = attempt(() => localStorage.getItem(lesson)) === "on";
if (!remembering) return;
set(remember, "aria-pressed", true);
asked.forEach(q => [...localStorage.getItem(q.slot) || ""].forEach(q.take));
}

function copy() {
for (const code of all(".bar code, :not(.diagram) > .code pre")) {
const press = button("Copy", async () => {
const plain = code.cloneNode(true);
all(".p", plain).forEach(prompt => prompt.remove());
try {
await navigator.clipboard.writeText(plain.textContent);
live.textContent = press.textContent = "Copied";
} catch {
getSelection().selectAllChildren(code);
live.textContent = press.textContent = "Selected";
}
setTimeout(() => live.textContent = (press.textContent = "Copy", ""), 2000);
}, {class: "copy"});
code.closest(".box").append(press);
}
}

function boxes() {
const seen = new ResizeObserver(entries => entries.forEach(({target: box}) => {
const wide = box.scrollWidth > box.clientWidth;
set(box, "tabindex", wide ? 0 : null);
set(box, "role", wide ? "region" : null);
set(box, "aria-label", wide ? box.dataset.name : null);
}));
for (const box of all("[role=region][tabindex]")) {
box.dataset.name = box.getAttribute("aria-label");
seen.observe(box);
}
}

function contents() {
const links = all(".toc a"), heads = links.map(a => at(a.hash));
const passed = new Set(), seen = new IntersectionObserver(entries => {
entries.forEach(e => e.isIntersecting ? passed.add(e.target) : passed.delete(e.target));
const now = heads.findLastIndex(h => passed.has(h));
links.forEach((a, i) => set(a, "aria-current", i === now ? "location" : null));
}, {rootMargin: "999999px 0px -66%"});
heads.forEach(h => h && seen.observe(h));
}

function age() {
for (const time of all(".strip time"))
if (Date.now() - Date.parse(time.dateTime) > 180 * 864e5) time.after(make("span", {class: "warn"}, " more than 180 days ago"));
}

function progress() {
const keys = Object.keys(localStorage);
for (const row of all(".row[data-lesson]")) {
const n = keys.filter(k => k.startsWith(`verbatim:${row.dataset.lesson}#`)).length - 1;
if (n >= 0) one("a", row).append(make("span", {class: "de ui"}, n === 1 ? "1 answer kept on this device" : n + " answers kept on this device"));
}
}

function print() {
addEventListener("beforeprint", () => {
printing = true;
if (!CSS.supports("selector(::details-content)")) all("details").forEach(d => d.open = true);
});
addEventListener("afterprint", () => setTimeout(() => printing = false));
}

document.body.append(live);
[theme, player, quiz, copy, boxes, contents, age, progress, print].forEach(attempt);
