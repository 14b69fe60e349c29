"use strict";
// Precision over recall, the bump chart of scoring models, and the map of settings: SVG and plain elements, never markup from text.

const element = (id) => document.getElementById(id);
const all = (selector) => document.querySelectorAll(selector);
const say = (id, text) => (element(id).textContent = text);
// Listeners end with the view of a series that another one replaces.
let leaving = new AbortController();
const on = (node, event, act, options) => node.addEventListener(event, act, { signal: leaving.signal, ...options });
const SVG = "http://www.w3.org/2000/svg";
function drawn(name, attributes, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
function made(name, properties = {}, ...children) {
  const { data = {}, ...rest } = properties, node = Object.assign(document.createElement(name), rest);
  Object.assign(node.dataset, data);
  node.append(...children);
  return node;
}
const DASHES = ["", "6 4", "2 3", "9 3 2 3", "1 4", "12 4"];
const lineOf = (page, k) => ({ fill: "none", stroke: page.colorOf(k), "stroke-dasharray": DASHES[k % 6], "stroke-linejoin": "round" });

// Computed once per curve, which may have a million points, of which a screen shows few.
function curvePath({ recall, precision }, x, y) {
  const seen = [];
  for (let i = 0, last = -1; i < recall.length; i++) {
    const across = Math.round(x(recall[i])), up = Math.round(y(precision[i])), key = across * 1024 + up;
    if (key !== last && across + up >= 0) seen.push(`${across} ${up}`);
    last = key;
  }
  return seen.length ? `M${seen.join("L")}` : "";
}
const CURVE = { left: 38, bottom: 276, top: 24, right: 306 };
// The entry of the curve that is nearest to a position in the chart.
function curvePoint({ recall, precision }, x, y) {
  const { left, bottom, top, right } = CURVE, wantedRecall = (x - left) / (right - left), wantedPrecision = (bottom - y) / (bottom - top);
  let best = Infinity, at = -1;
  for (let i = 0; i < recall.length; i++) {
    const across = recall[i] - wantedRecall, up = precision[i] - wantedPrecision, distance = across * across + up * up;
    if (distance < best) [best, at] = [distance, i];
  }
  return at;
}
function curveChart(page) {
  const { left, bottom, top, right } = CURVE, x = (v) => left + v * (right - left), y = (v) => bottom - v * (bottom - top);
  const { beta } = page.model, weight = beta * beta, chart = drawn("svg", { viewBox: "0 0 320 312", role: "img" });
  for (const tick of [0, 0.25, 0.5, 0.75, 1]) {
    chart.append(drawn("path", { class: "grid", d: `M${x(0)} ${y(tick)}H${right}M${x(tick)} ${top}V${bottom}` }));
    chart.append(drawn("text", { x: left - 5, y: y(tick) + 4, "text-anchor": "end" }, String(tick)));
    chart.append(drawn("text", { x: x(tick), y: bottom + 15, "text-anchor": "middle" }, String(tick)));
  }
  chart.append(drawn("text", { x: right, y: bottom + 31, "text-anchor": "end" }, "recall →"));
  chart.append(drawn("text", { x: 0, y: 12 }, "↑ precision"));
  for (const f of [0.2, 0.4, 0.6, 0.8]) {
    let path = "";
    for (let r = 0.01; r <= 1.0001; r += 0.01) {
      const p = (f * r) / ((1 + weight) * r - f * weight);
      if (p > 0 && p <= 1) path += `${path ? "L" : "M"}${x(r).toFixed(1)} ${y(p).toFixed(1)}`;
    }
    chart.append(drawn("path", { class: "grid", d: path, "stroke-dasharray": "2 3" }));
    chart.append(drawn("text", { x: right - 2, y: y(f / (1 + weight - f * weight)) - 3, "text-anchor": "end" }, `F ${f}`));
  }
  // The chosen one last, so that nothing covers it; a letter only if there is space.
  const order = page.detectors.map((_, k) => k).sort((a, b) => (page.detectors[a] === page.detector) - (page.detectors[b] === page.detector)), letters = [];
  for (const k of order) {
    const detector = page.detectors[k], chosen = detector === page.detector, { curve } = detector;
    if (curve) chart.append(drawn("path", { ...lineOf(page, k), d: (curve.path = curve.path || curvePath(curve, x, y)), "stroke-width": chosen ? 2 : 1, opacity: chosen ? 1 : 0.65 }));
    const { precision, recall } = detector.score;
    if (Number.isNaN(precision + recall)) continue;
    const across = x(recall), up = y(precision), atX = across > right - 16 ? across - 17 : across + 8, atY = up < top + 14 ? up + 17 : up - 6;
    chart.append(drawn("circle", { class: "dot", cx: across, cy: up, r: chosen ? 7 : 5, fill: page.colorOf(k) }));
    if (letters.some(([otherX, otherY]) => Math.abs(otherX - atX) < 11 && Math.abs(otherY - atY) < 12)) continue;
    letters.push([atX, atY]);
    chart.append(drawn("text", { x: atX, y: atY, class: chosen ? "strong" : "" }, detector.letter));
  }
  const { precision, recall } = page.detector.score;
  chart.setAttribute("aria-label", `Precision over recall. ${page.detector.name} is at precision ${threeDigits(precision)}, recall ${threeDigits(recall)}.`);
  return chart;
}

// Ranks as lines from one scoring model to the next; ties are below each other, in the order of the previous column.
function bumpChart(page) {
  const { contests, detectors } = page, left = 190, step = Math.min(150, Math.max(96, 1120 / contests.length)), row = 42, top = 56;
  const width = left + step * contests.length + 20, height = top + detectors.length * row, x = (c) => left + step * (c + 0.3);
  const chart = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Ranks under each scoring model; the table below has the same content." });
  chart.style.maxWidth = `${width * 1.15}px`;
  let before = detectors.map((_, k) => k);
  const places = contests.map(({ ranks }) => {
    const order = before.slice().sort((a, b) => ranks[a] - ranks[b]); // keeps the order of equals
    before = order;
    return detectors.map((_, k) => top + row * (order.indexOf(k) + 0.4));
  });
  contests.forEach((contest, c) => {
    const words = contest.label.split(" ");
    const lines = [words.slice(0, Math.ceil(words.length / 2)).join(" "), words.slice(Math.ceil(words.length / 2)).join(" ")];
    chart.append(drawn("text", { x: x(c), y: 14, "text-anchor": "middle" }, lines[0]), drawn("text", { x: x(c), y: 28, "text-anchor": "middle" }, lines[1]));
    if (!page.moved && reverses(contest.ranks, contests[0].ranks)) chart.append(drawn("text", { x: x(c), y: 44, "text-anchor": "middle", class: "strong" }, "⇅ other order"));
  });
  detectors.forEach((detector, k) => {
    chart.append(drawn("path", { ...lineOf(page, k), "stroke-width": page.colorOf(k) === "var(--rest)" ? 1.5 : 3, d: places.map((place, c) => `${c ? "L" : "M"}${x(c)} ${place[k]}`).join("") }));
    const shown = shortened(detector.name, 20);
    chart.append(drawn("text", { x: left - 4, y: places[0][k] + 4, "text-anchor": "end", class: "strong" }, `${detector.letter} ${shown}`));
  });
  contests.forEach((contest, c) => detectors.forEach((detector, k) => {
    const text = contest.texts[k], y = places[c][k];
    chart.append(
      drawn("circle", { cx: x(c), cy: y, r: 13, fill: "var(--card)", stroke: page.colorOf(k), "stroke-width": 2.5 }),
      drawn("text", { x: x(c), y: y + 4.5, "text-anchor": "middle", class: "strong" }, detector.letter),
      drawn("rect", { x: x(c) + 16, y: y - 9, width: text.length * 7 + 4, height: 17, fill: "var(--card)" }),
      drawn("text", { x: x(c) + 18, y: y + 4 }, text),
    );
  }));
  return chart;
}

const BIAS_WORDS = { flat: "anywhere (flat)", front: "early (front)", back: "late (back)", middle: "middle" };
const PIECES_WORDS = { one: "no penalty (one)", reciprocal: "1/x (reciprocal)", consistent: "smaller penalty (consistent)" };
// One strip per setting, with alpha across; two detectors change places exactly at a border.
function fillMap(page, strips) {
  const box = element("map-cells"), { model, detectors } = page;
  const near = BETAS.reduce((best, beta) => (Math.abs(beta - model.beta) < Math.abs(best - model.beta) ? beta : best), 1);
  box.replaceChildren(made("span"));
  const names = { 0.5: "F0.5: false alarms weigh more", 1: "F1: both equal", 2: "F2: misses weigh more" };
  for (const beta of BETAS) box.append(made("h3", { className: beta === near ? "" : "other" }, names[beta]));
  for (const cardinality of MAP_CARDINALITIES)
    for (const bias of BIASES) {
      box.append(made("span", {}, `${bias}, ${cardinality === "one" ? "one" : "1/x"}`));
      for (const strip of strips.filter((one) => one.bias === bias && one.cardinality === cardinality)) {
        const row = made("div", { className: `strip${strip.beta === near ? "" : " other"}` });
        for (const { from, to, leaders } of strip.parts) {
          const who = leaders.length > 1 ? null : detectors[leaders[0]], wide = to - from > 0.08;
          const range = `alpha ${general(from, 3)} to ${general(to, 3)}, ${bias}, ${cardinality}, beta ${strip.beta}`;
          const cell = made("button", { type: "button", className: who ? "" : "tie", title: range }, wide ? (who ? who.letter : "=") : "");
          cell.setAttribute("aria-label", `${who ? `${who.letter} ${who.name} leads` : "equal"}: ${range}`);
          if (who) cell.style.setProperty("--who", page.colorOf(leaders[0]));
          cell.style.flexGrow = to - from;
          cell.style.flexBasis = 0;
          cell.disabled = !page.canSet;
          on(cell, "click", () => page.set({
            alpha: Number(general(Math.min(Math.max(model.alpha, from), to) === model.alpha ? model.alpha : (from + to) / 2, 3)),
            recall_bias: bias, recall_cardinality: cardinality, precision_cardinality: cardinality, beta: strip.beta, as_points: null,
          }));
          row.append(cell);
        }
        if (model.recall_bias === bias && model.recall_cardinality === cardinality && model.precision_cardinality === cardinality && model.beta === strip.beta && !model.as_points) {
          const here = made("span", { className: "here" });
          here.style.left = `calc(${model.alpha * 100}% - 1.5px)`;
          row.append(here);
        }
        box.append(row);
      }
    }
  box.append(made("span", { className: "quiet" }, "alpha →"));
  for (const beta of BETAS) box.append(made("div", { className: `ends${beta === near ? "" : " other"}` }, made("span", {}, "0: coverage"), made("span", {}, "1: any overlap")));
}
