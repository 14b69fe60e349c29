"use strict";
// Exports: pictures, tables, links, and numbers in full precision.

const TAKEN = { board: ["CSV"], happened: ["SVG", "PNG"], ranges: ["CSV"], threshold: ["SVG", "PNG", "CSV"], contests: ["SVG", "PNG", "CSV"], map: ["CSV"] };
const STYLED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-weight", "font-family"];

// Records what is drawn on a canvas as SVG: the part of its interface that the timeline uses.
class SvgPen {
  constructor(pen, width, height) {
    Object.assign(this, { pen, dash: "", path: "", globalAlpha: 1, svg: drawn("svg", { xmlns: SVG, viewBox: `0 0 ${width} ${height}`, width, height }) });
  }
  put(name, attributes, ...children) {
    this.svg.append(drawn(name, { ...attributes, ...(this.globalAlpha < 1 && { opacity: this.globalAlpha }) }, ...children));
  }
  fillRect(x, y, width, height) {
    if (width > 0 && height > 0) this.put("rect", { x, y, width, height, fill: typeof this.fillStyle === "string" ? this.fillStyle : page.look.false, ...(typeof this.fillStyle !== "string" && { "fill-opacity": 0.5, stroke: page.look.false }) });
  }
  strokeRect(x, y, width, height) {
    this.put("rect", { x, y, width, height, ...this.outline() });
  }
  outline() {
    return { fill: "none", stroke: this.strokeStyle, "stroke-width": this.lineWidth, "stroke-dasharray": this.dash };
  }
  fillText(text, x, y) {
    const anchor = { right: "end", center: "middle" }[this.textAlign] || "start";
    this.put("text", { x, y, fill: this.fillStyle, "text-anchor": anchor, "dominant-baseline": "middle", "font-size": 12, "font-family": "sans-serif" }, text);
  }
  measureText(text) {
    return this.pen.measureText(text);
  }
  createPattern() {
    return this.pen.createPattern(...arguments);
  }
  setLineDash(dash) {
    this.dash = dash.join(" ");
  }
  beginPath() {
    this.path = "";
  }
  moveTo(x, y) {
    this.path += `M${x} ${y.toFixed(1)}`;
  }
  lineTo(x, y) {
    this.path += `L${x} ${y.toFixed(1)}`;
  }
  stroke() {
    if (this.path) this.put("path", { d: this.path, ...this.outline() });
  }
}

class Takeaway {
  constructor(page) {
    this.page = page;
    for (const [id, kinds] of Object.entries(TAKEN)) {
      const box = element(id) && made("p", { className: "take" });
      if (!box) continue;
      for (const kind of kinds) this.button(box, kind, () => this.take(id, kind));
      this.button(box, "link", () => {
        page.remember();
        copyText(location.href);
      });
      element(id).append(box);
    }
    copyNumbers();
    for (const table of all("#board table, #ranges table, #contest-table table")) sortable(table);
  }
  button(box, text, act) {
    const button = made("button", { type: "button", data: { take: text } }, text === "link" ? "copy link" : text);
    on(button, "click", act);
    box.append(button);
  }
  async take(id, kind) {
    const name = `${id}.${kind.toLowerCase()}`;
    if (kind === "CSV") return save(new Blob([this.rows(id).map((row) => row.map(csvField).join(",")).join("\n"), "\n"], { type: "text/csv" }), name);
    const svg = id === "happened" ? this.timeline() : standalone(element(id === "threshold" ? "curve" : "bump").firstChild);
    const text = new XMLSerializer().serializeToString(svg);
    if (kind === "SVG") return save(new Blob([text], { type: "image/svg+xml" }), name);
    const image = new Image(), { width, height } = svg.viewBox.baseVal, canvas = made("canvas", { width: 2 * width, height: 2 * height });
    image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
    await image.decode();
    const pen = canvas.getContext("2d");
    pen.fillStyle = this.page.look.card;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((blob) => save(blob, name));
  }
  timeline() {
    const { timeline } = this.page, { canvas } = timeline, pen = new SvgPen(canvas.getContext("2d"), canvas.clientWidth, canvas.clientHeight);
    timeline.paint(pen);
    return pen.svg;
  }
  // Tables in full precision.
  rows(id) {
    const { page } = this, { detector, detectors } = page, f = page.fName;
    if (id === "board" && page.data.overview) return Array.from(all("#board tr"), (row) => Array.from(row.cells, (cell) => cell.textContent));
    if (id === "board") return [["detector", "threshold", f, "precision", "recall", "found", "real", "alarms", "false", "alert_rate", "chance"],
      ...page.ranked().map((one) => [one.name, one.thresholds ? one.threshold : "", one.score.f, one.score.precision, one.score.recall, one.facts.found, page.real.starts.length, one.facts.alarms, one.facts.false, one.alert_rate, one.chance === null || one.chance === undefined ? "" : one.chance])];
    if (id === "ranges") return [["range", "start", "stop", "reward", "sentence"],
      ...page.listedRows().map((row) => [`${page.side === "real" ? "R" : "P"}${row.index + 1}`, row.start, row.stop, row.reward, page.sentence(page.side === "real", row)])];
    if (id === "threshold") {
      const { precision, recall } = detector.curve || { precision: [detector.score.precision], recall: [detector.score.recall] }, { thresholds } = detector;
      return [["threshold", "precision", "recall", f], ...Array.from(precision, (p, i) => [thresholds ? thresholds[thresholds.length - 1 - i] : "", p, recall[i], fScore(p, recall[i], page.model.beta)])];
    }
    if (id === "contests") return [["scoring model", ...detectors.map(({ name }) => name)], ...page.contests.map((one) => [one.label, ...one.values.map(number)])];
    return [["recall_bias", "cardinality", "beta", "alpha_from", "alpha_to", "leaders"],
      ...page.strips.flatMap(({ bias, cardinality, beta, parts }) => parts.map(({ from, to, leaders }) => [bias, cardinality, beta, from, to, leaders.map((k) => detectors[k].name).join(" ")]))];
  }
}
// A click on a number copies all its digits.
function copyNumbers() {
  on(document, "click", ({ target }) => {
    const number = target.closest("[data-number]");
    if (number && !getSelection().toString()) copyText(repr(Number(number.dataset.number)));
  });
}
let fading = 0;
async function copyText(text) {
  let done = false;
  try {
    await navigator.clipboard.writeText(text);
    done = true;
  } catch {
    const area = made("textarea", { value: text });
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  const toast = element("toast");
  toast.textContent = done ? `copied ${shortened(text, 60)}` : text;
  clearTimeout(fading);
  fading = setTimeout(() => (toast.textContent = ""), 2500);
}
const csvField = (value) => {
  // A spreadsheet would execute a name that begins like a formula.
  const text = typeof value === "number" ? repr(value).replace(/\.0$/, "") : String(value).replace(/^[=+@-]/, "'$&");
  if (!/[",\n]/.test(text)) return text;
  return `"${text.replaceAll('"', '""')}"`;
};
function save(blob, name) {
  const link = made("a", { href: URL.createObjectURL(blob), download: `rangewise-${name}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
// A copy that does not need the style sheet.
function standalone(svg) {
  const copy = svg.cloneNode(true), { width, height } = svg.viewBox.baseVal, from = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((node, k) => {
    const style = getComputedStyle(from[k]);
    for (const name of STYLED) node.setAttribute(name, style.getPropertyValue(name));
  });
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height })) copy.setAttribute(name, value);
  return copy;
}
