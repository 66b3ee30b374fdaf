"use strict";
{
const shelf = new Map(), base = document.currentScript.dataset.base;
window.verbatimSearch = (name, content) => shelf.get(name).arrived(content);
const load = name => {
if (shelf.has(name)) return shelf.get(name).content;
const entry = {};
entry.content = new Promise((resolve, reject) => {
entry.arrived = resolve;
const script = make("script", {src: `${base}search/${name}.js`});
script.onerror = () => (shelf.delete(name), reject());
document.head.append(script);
});
shelf.set(name, entry);
return entry.content;
};

const dense = "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}ー";
const cut = new RegExp(`[${dense}]+|(?:(?![${dense}])[\\p{L}\\p{N}\\p{M}])+`, "gu"), packed = new RegExp(`[${dense}]`, "u");
const split = text => [...new Set((text.toLowerCase().match(cut) || []).flatMap(run => {
const letters = [...run];
if (!packed.test(run)) return letters.slice(0, 40).join("");
return letters.length < 2 ? run : letters.slice(1).map((letter, i) => letters[i] + letter);
}))];

const files = async (word, branches) => {
const first = Math.max(0, branches.findLastIndex(([term]) => term <= word));
const near = branches.slice(first, first + 2).filter(([term]) => term <= word || term.startsWith(word));
const below = await Promise.all(near.map(async ([, name]) => name[0] === "d" ? files(word, await load(name)) : [name]));
return below.flat().slice(0, 2);
};

const lookup = async (word, terms) => {
const scores = new Map();
for (const content of await Promise.all((await files(word, terms)).map(load)))
for (const [found, list] of content) {
if (!found.startsWith(word)) continue;
for (let i = 0, weight = 0; i < list.length; i += 2) {
if (list[i] < 0) weight = -list[i++] * (found === word ? 2 : 1);
const known = scores.get(list[i]);
if (!known || known.weight < weight) scores.set(list[i], {weight, section: list[i + 1]});
}
}
return scores;
};

const entry = async (page, branches) => {
const [first, name] = branches.findLast(([first]) => first <= page), content = await load(name);
return name[0] === "d" ? entry(page, content) : content[page - first];
};

const find = async words => {
const index = await load("index"), pages = new Map();
for (const scores of await Promise.all(words.map(word => lookup(word, index.terms))))
for (const [page, {weight, section}] of scores) {
const known = pages.get(page) || {page, hits: 0, weight: 0, best: 0, section: 0};
pages.set(page, known);
known.hits++;
known.weight += weight;
if (section && weight > known.best) known.best = weight, known.section = section;
}
const all = [...pages.values()].sort((a, b) => b.hits - a.hits || b.weight - a.weight || a.page - b.page);
const whole = all.filter(p => p.hits === words.length), ranked = whole.length ? whole : all;
const shown = await Promise.all(ranked.slice(0, 10).map(async p => {
const [url, title, summary, sections] = await entry(p.page, index.pages);
const [id, heading] = sections[p.section] || ["", ""];
return {url: id ? url + "#" + id : url, title, summary, heading};
}));
return {shown, total: ranked.length, partly: !whole.length};
};

const box = make("input", {type: "search", id: "v-query", autocomplete: "off", spellcheck: "false"});
const status = make("p", {class: "ui soft", role: "status"}), results = make("ol", {class: "found"});
let latest = 0;
const show = async () => {
const mine = ++latest, words = split(box.value);
if (!words.length) {
results.replaceChildren();
status.textContent = box.value.trim() && "Type a word: a letter or a digit, at least.";
return;
}
try {
const {shown, total, partly} = await find(words);
if (mine !== latest) return;
results.replaceChildren(...shown.map(r => make("li", {},
make("a", {href: r.url}, r.title, ...(r.heading ? [make("span", {class: "ui soft"}, " › " + r.heading)] : [])), make("p", {class: "ui soft"}, r.summary))));
const pages = total === 1 ? "1 page" : total + " pages";
status.textContent = !total ? "Nothing found." : (partly ? "No page has all of these words; " + pages + " with some of them" : pages) + (total > 10 ? ", the best 10 shown" : "");
} catch {
if (mine !== latest) return;
results.replaceChildren();
status.textContent = "The search index could not be loaded. Press Enter to try again.";
}
};
box.addEventListener("input", () => {
try { history.replaceState(null, "", box.value ? "?q=" + encodeURIComponent(box.value) : location.pathname); } catch {}
show();
});
box.addEventListener("focus", () => load("index").catch(() => {}), {once: true});
const form = make("form", {role: "search", class: "search"}, make("label", {for: "v-query", class: "ui"}, "Search the lessons"), box, status, results);
form.addEventListener("submit", event => (event.preventDefault(), show()));
one("h1").after(form);
box.value = new URLSearchParams(location.search).get("q") || "";
show();
}
