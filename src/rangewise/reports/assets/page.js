"use strict";
// The page itself: its state, the numbers that follow from it, and the controls. Everything is computed from the ranks and the ranges.

const SHOWN_ROWS = 200;
const MOST_LISTED = 200000;
const NOTHING = [];
const SLICE = 8; // milliseconds of sweeping between two frames
const number = (value) => (typeof value === "string" ? { nan: NaN, inf: Infinity, "-inf": -Infinity }[value] : value);
const settingsOf = (model) => ({ ...model, zero_division: number(model.zero_division) });
const sameModel = (one, two) => Object.keys(DEFAULTS).every((key) => Object.is(one[key], two[key]));

class Page {
  constructor(data, parts) {
    Object.assign(this, parts, { data, chosen: null, side: "real", contests: data.contests, colors: {} });
    this.fileModel = settingsOf(data.model);
    this.model = { ...this.fileModel };
    this.canSet = !data.own.length;
    this.realPoints = Number(pointsIn(this.real));
    this.placed = new WeakMap();
    this.detector = this.detectors[0];
    this.readLook();
    for (const detector of this.detectors) this.apply(detector);
    this.detector = data.overview ? this.detectors[0] : this.ranked()[0];
    this.timeline = new Timeline(this);
    this.controls();
    this.restore();
  }
  // Another series takes its place: nothing of this one may come later.
  leave() {
    leaving.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    for (const timer of [this.resting, this.later, this.remembering]) clearTimeout(timer);
    this.turn = this.restTurn = -1;
    this.gone = true;
  }
  ranked() {
    return this.detectors.slice().sort((a, b) => (Number.isNaN(b.score.f) ? -1 : b.score.f) - (Number.isNaN(a.score.f) ? -1 : a.score.f));
  }
  get fName() {
    return `F${general(this.model.beta, 6)}`;
  }
  // Up to six detectors have their own colors; with more, only the chosen and the best have one.
  colorOf(k) {
    if (this.detectors.length <= 6) return `var(--d${k})`;
    const detector = this.detectors[k];
    return detector === this.detector ? "var(--d0)" : detector === this.ranked()[0] ? "var(--d1)" : "var(--rest)";
  }
  readLook() {
    const style = getComputedStyle(document.documentElement), look = {};
    for (const name of ["ink", "quiet", "line", "shade", "real", "found", "false", "mark", "card"]) look[name] = style.getPropertyValue(`--${name}`).trim();
    look.font = getComputedStyle(document.body).fontFamily;
    this.look = look;
    this.pattern = null;
  }
  hatch(pen) {
    if (this.pattern) return this.pattern;
    const tile = document.createElement("canvas"), brush = tile.getContext("2d");
    tile.width = tile.height = 6;
    brush.fillStyle = this.look.card;
    brush.fillRect(0, 0, 6, 6);
    brush.strokeStyle = this.look.false;
    brush.lineWidth = 2.4;
    for (const shift of [-6, 0, 6]) {
      brush.moveTo(shift - 1, 7);
      brush.lineTo(shift + 7, -1);
    }
    brush.stroke();
    return (this.pattern = pen.createPattern(tile, "repeat"));
  }
  // Starts and stops as positions on the screen.
  places(side) {
    if (!this.clock.ticks) return { low: side.starts, high: side.stops };
    let found = this.placed.get(side);
    if (!found) this.placed.set(side, (found = { low: side.starts.map((at) => this.clock.place(at)), high: side.stops.map((at) => this.clock.place(at)) }));
    return found;
  }

  // --- results of a threshold and a model
  apply(detector) {
    if (detector.ranks) detector.predicted = rangesAt(detector.ranks, detector.rank);
    detector.facts = factsOf(this.real, detector.predicted, BigInt(this.data.lead));
    this.rescore(detector);
  }
  rescore(detector) {
    const { stops } = detector;
    if (stops && sameModel(this.model, this.fileModel)) {
      const [, precision, recall, predicted] = stops.map((values) => values[stops[0].length - 1 - detector.rank]);
      detector.score = { precision, recall, f: fScore(precision, recall, this.model.beta) };
      detector.alert_rate = predicted / this.data.counted;
      return;
    }
    detector.score = this.canSet ? score(this.real, detector.predicted, this.model) : detector.fileScore;
    detector.alert_rate = Number(pointsIn(detector.predicted)) / this.data.counted;
  }
  setRank(detector, rank, threshold) {
    detector.rank = rank;
    detector.threshold = threshold === undefined ? detector.thresholds[rank] : threshold;
    detector.chance = null;
    if (detector.ranks) this.apply(detector);
    else this.rescore(detector);
    this.refresh();
  }
  setThreshold(detector, value) {
    const { thresholds } = detector;
    if (detector.stops || detector.separated) {
      // A float32 represents the score above it.
      const down = detector.separated && Math.fround(value) > value ? below(Math.fround(value)) : detector.separated ? Math.fround(value) : value;
      const rank = Math.min(firstAtLeast(thresholds, down), thresholds.length - 1);
      return this.setRank(detector, rank);
    }
    return this.setRank(detector, firstAtLeast(thresholds, value), value);
  }
  set(changes) {
    if (!this.canSet) return;
    Object.assign(this.model, changes);
    for (const detector of this.detectors) {
      if (detector.stops && !sameModel(this.model, this.fileModel)) detector.rank = detector.givenRank;
      detector.chance = null;
      this.rescore(detector);
    }
    this.sweep();
    this.refresh();
  }
  // How many points reach each threshold.
  reaching(detector) {
    if (detector.reaching) return detector.reaching;
    const { ranks, thresholds, stops } = detector, reaching = stops ? Float64Array.from(stops[3]).reverse() : new Float64Array(thresholds.length);
    if (ranks) for (let i = 0; i < ranks.length; i++) if (ranks[i] >= 0) reaching[ranks[i]]++;
    for (let rank = reaching.length - 2; ranks && rank >= 0; rank--) reaching[rank] += reaching[rank + 1];
    return (detector.reaching = reaching);
  }
  // From 0, where every point is predicted, to 1000, where one is; in between as the logarithm.
  slideOf(detector, rank) {
    const all = Math.log(this.data.counted);
    return all ? 1000 * (1 - Math.log(Math.max(1, this.reaching(detector)[rank])) / all) : 0;
  }
  rankOf(detector, slide) {
    const last = detector.thresholds.length - 1;
    let low = 0, high = last;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.slideOf(detector, middle) >= slide) high = middle;
      else low = middle + 1;
    }
    return low && slide - this.slideOf(detector, low - 1) < this.slideOf(detector, low) - slide ? low - 1 : low;
  }
  select(index) {
    this.detector = this.detectors[index];
    if (this.chosen && this.chosen.side === "predicted") this.chosen = null;
    this.refresh();
  }
  choose(side, index, fromTable) {
    const box = element("stage").getBoundingClientRect();
    if (fromTable && (box.top < 0 || box.bottom > innerHeight)) element("happened").scrollIntoView();
    this.side = side;
    this.chosen = { side, index };
    const ranges = side === "real" ? this.real : this.detector.predicted;
    this.timeline.focus(ranges.starts[index], ranges.stops[index]);
    this.refresh();
  }
  step(by) {
    const { low, high } = this.places(this.real), middle = (this.timeline.from + this.timeline.to) / 2;
    if (!low.length) return;
    const at = this.chosen && this.chosen.side === "real" ? this.chosen.index + by : by > 0 ? firstAfter(low, middle) : firstAfter(high, middle) - 1;
    this.choose("real", (at + low.length) % low.length);
  }
  // The whole curve of each detector, in slices; the visible one first.
  async sweep() {
    const turn = (this.turn = (this.turn || 0) + 1), own = this.detectors.filter((detector) => detector.ranks);
    for (const detector of this.detectors) {
      if (!detector.stops) continue;
      detector.curve = sameModel(this.model, this.fileModel) ? { precision: detector.stops[1], recall: detector.stops[2] } : null;
      Object.assign(detector, detector.curve ? bestOf(detector.curve, detector.stops[3], this) : { best: undefined });
    }
    for (const detector of [this.detector, ...own.filter((one) => one !== this.detector)]) {
      if (!detector.ranks) continue;
      if (!detector.sorted) detector.sorted = pointsByRank(detector.ranks, detector.thresholds.length);
      const sweep = new Sweep(this.real, detector.sorted, { ...this.model });
      const large = detector.ranks.length > 50000;
      while (!sweep.advance(large ? performance.now() + SLICE : 0)) {
        await new Promise((go) => setTimeout(go));
        if (turn !== this.turn) return;
      }
      detector.curve = sweep;
      Object.assign(detector, bestOf(sweep, detector.sorted.ends.subarray(1), this));
      this.drawCurve();
      if (detector === this.detector) this.bestWords();
    }
    document.documentElement.dataset.swept = "1";
  }

  // --- rendering: numbers at once, pictures in the next frame, sentences and the rest when the slider stops
  refresh() {
    this.numbers();
    this.draw();
    clearTimeout(this.resting);
    this.resting = setTimeout(() => this.rest(), 120);
  }
  draw() {
    if (this.frame || !this.timeline) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.timeline.draw();
      this.drawCurve();
      // The table is expensive, so it is updated at most ten times per second.
      clearTimeout(this.later);
      if (performance.now() - (this.listed || 0) > 100) this.list();
      else this.later = setTimeout(() => this.list(), 100);
    });
  }
  list() {
    this.listed = performance.now();
    if (this.held) return; // it comes when the pointer is up
    if (this.side === "real" || this.detector.predicted.starts.length < 2000) this.table();
  }
  drawCurve() {
    element("curve").replaceChildren(curveChart(this));
  }
  numbers() {
    const { detector } = this, { precision, recall, f } = detector.score, name = this.fName;
    const show = (key, value, text) => {
      const node = document.querySelector(`[data-value="${key}"]`);
      node.textContent = text;
      node.dataset.number = value;
    };
    show("precision", precision, threeDigits(precision));
    show("recall", recall, threeDigits(recall));
    show("f", f, threeDigits(f));
    show("alert_rate", detector.alert_rate, percentText(detector.alert_rate));
    say("f-name", name);
    this.buttons.forEach(([button, value], k) => {
      button.setAttribute("aria-pressed", this.detectors[k] === detector);
      value.textContent = `${name} ${threeDigits(this.detectors[k].score.f)}`;
    });
    element("slide").hidden = !detector.thresholds;
    if (detector.thresholds) {
      const last = detector.thresholds.length - 1, locked = detector.stops && !sameModel(this.model, this.fileModel);
      if (document.activeElement !== this.slider || !this.sliding) this.slider.value = this.slideOf(detector, Math.min(detector.rank, last));
      for (const tick of all("[data-tick]")) {
        const rank = detector[tick.dataset.tick];
        tick.hidden = rank === undefined;
        if (rank !== undefined) tick.style.left = `${this.slideOf(detector, Math.min(rank, last)) / 10}%`;
      }
      this.slider.disabled = locked;
      const text = general(detector.threshold, 6);
      this.slider.setAttribute("aria-valuetext", `threshold ${text}: precision ${threeDigits(precision)}, recall ${threeDigits(recall)}, ${name} ${threeDigits(f)}`);
      if (document.activeElement !== element("typed")) element("typed").value = repr(detector.threshold);
    }
    say("warning", warningWords(detector, { real_share: this.realPoints / this.data.counted }));
  }
  // F of chance, the map and the words: not worth a frame while the slider moves, so they wait until the pointer is up, and come in slices.
  async rest() {
    const { data, model } = this, turn = (this.restTurn = (this.restTurn || 0) + 1);
    this.waits = this.held;
    if (this.held) return;
    for (const detector of this.detectors) {
      if (!data.baseline || detector.chance !== null || !this.canSet || !this.real.starts.length) continue;
      const begin = performance.now();
      detector.chance = baselineF(this.real, data.points, Math.round(detector.alert_rate * data.counted), model, this.ignored);
      if (performance.now() - begin < SLICE) continue;
      await new Promise((go) => setTimeout(go));
      if (turn !== this.restTurn || this.held) return void (this.waits = this.held);
    }
    const names = this.detectors.map((detector) => detector.name);
    let first = null;
    if (element("map") && this.canSet && this.real.starts.length) {
      const strips = this.strips = settingsMap(this.real, this.detectors.map((detector) => detector.predicted), model);
      first = firstShares(strips, names);
      fillMap(this, strips);
      const shares = this.detectors.filter(({ name }) => first[name]).sort((a, b) => first[b.name] - first[a.name]).map(({ letter, name }) => `${letter} ${name} leads in ${percentText(first[name])}`);
      say("map-words", `At the thresholds chosen above: ${shares.join(", ")}.`);
    }
    const facts = {
      real: this.real.starts.length, real_share: this.realPoints / this.data.counted, alpha: model.alpha, beta: model.beta, first,
      reciprocal: [model.recall_cardinality, model.precision_cardinality].includes("reciprocal"),
      detectors: this.detectors.map((detector) => this.detectorFacts(detector)),
    };
    this.table();
    this.settings();
    this.bestWords();
    this.remember();
    document.documentElement.dataset.ready = "1";
    if (data.overview) return;
    element("verdict").replaceChildren(...headline(facts).map((part, k) => (k % 2 ? made("b", {}, part) : part)));
    say("details", details(facts).join(" "));
    element("tiles").replaceChildren(...tiles(facts).map(([label, text]) => made("div", {}, made("dt", {}, label), made("dd", {}, text))));
    const leading = this.detectorFacts(this.ranked()[0]), values = element("tiles").querySelectorAll("dd");
    if (this.real.starts.length) [leading.f, null, null, leading.alert_rate, leading.baseline].forEach((value, k) => value !== null && values[k] && (values[k].dataset.number = value));
    say("model-line", this.canSet ? modelText(model) : data.modelText);
    say("model-hash", `#${this.canSet ? modelHash(model) : data.modelHash}`);
    this.board(facts.detectors);
    if (element("contests")) this.drawContests();
    this.exact();
  }
  bestWords() {
    const { detector } = this, { thresholds, best, largest } = detector, name = this.fName;
    if (thresholds) {
      const said = [`Exact at all ${counted(thresholds.length)} ${detector.stops ? "thresholds of this page" : "thresholds"}.`];
      if (best !== undefined && this.realPoints) said.push(`Best F is at ${general(thresholds[best], 6)}.`);
      if (largest !== undefined && largest !== best && this.realPoints) said.push(`${name} ${threeDigits(detector.largestF)} at ${general(thresholds[largest], 6)} is larger, but has an alert rate of ${percentText(detector.largestRate)}.`);
      say("curve-words", said.join(" "));
    } else element("curve-words").textContent = "A prediction without scores has no threshold.";
  }
  detectorFacts({ name, score, facts, alert_rate, chance }) {
    const missed = [];
    for (let i = 0; i < facts.met.length && missed.length < 3; i++) if (!facts.met[i]) missed.push(`R${i + 1} (${this.named(true, i)}${this.clock.text(this.real.starts[i])})`);
    return { name, f: score.f, ...facts, alert_rate, baseline: chance === undefined ? null : chance, missed };
  }
  // The first column is this page's model; the others do not change.
  drawContests() {
    const [own] = this.contests, values = this.detectors.map((detector) => detector.score.f), { cells } = element("own-contest");
    Object.assign(own, { label: `range ${this.fName}`, values, texts: values.map((f) => (Number.isNaN(f) ? "-" : threeDigits(f))), ranks: ranksOf(values) });
    cells[0].textContent = own.label;
    own.texts.forEach((text, k) => {
      cells[k + 1].replaceChildren(`${text} `, made("small", {}, `#${own.ranks[k]}`));
      cells[k + 1].dataset.number = values[k];
    });
    this.moved = this.detectors.some((detector) => detector.thresholds && detector.rank !== detector.givenRank);
    say("contest-words", this.moved ? "The order is compared only at the given thresholds." : contestWords(this.contests.map((contest) => contest.ranks)));
    say("contest-label", own.label);
    element("bump").replaceChildren(bumpChart(this));
  }
  // Incidents may have names.
  named(isReal, index) {
    const names = this.data.names;
    return isReal && names && names[index] ? `${names[index]} · ` : "";
  }
  board(facts) {
    const order = this.detectors.map((detector, k) => [detector, facts[k]]).sort(([a], [b]) => b.score.f - a.score.f);
    const head = all("#board thead th")[1];
    (head.firstElementChild || head).textContent = this.fName;
    element("board-rows").replaceChildren(...order.map(([detector, fact]) => {
      const button = made("button", { type: "button", title: detector.name }, `${detector.letter} ${shortened(detector.name, 30)}`), head = made("th", { scope: "row" }, button);
      on(button, "click", () => this.select(this.detectors.indexOf(detector)));
      const { precision, recall } = detector.score;
      const cells = [[threeDigits(fact.f), fact.f], [threeDigits(precision), precision], [threeDigits(recall), recall], [`${counted(fact.found)} of ${counted(this.real.starts.length)}`, fact.found],
        [counted(fact.alarms), fact.alarms], [counted(fact.false), fact.false], [percentText(fact.alert_rate), fact.alert_rate], fact.baseline === null ? ["–", NaN] : [threeDigits(fact.baseline), fact.baseline]];
      return made("tr", { className: detector === this.detector ? "chosen" : "" }, head, ...cells.map(([text, number]) => made("td", { data: { number } }, text)));
    }));
    sorted(document.querySelector("#board table"));
  }
  // Ranges, worst first; if there are too many, those with the lowest rewards.
  table() {
    const { side, detector } = this, isReal = side === "real", letter = isReal ? "R" : "P";
    all("[data-side]").forEach((button) => button.setAttribute("aria-pressed", button.dataset.side === side));
    say("ranges-of", `${detector.letter} ${detector.name}`);
    const found = this.listedRows(), listed = found !== NOTHING;
    const asPoint = asPoints(this.model, side), shown = found.slice(0, SHOWN_ROWS).map((row) => {
      const name = `${letter}${row.index + 1}`, button = made("button", { type: "button" }, name);
      const line = made("tr", {}, made("td", {}, asPoint ? name : button), made("td", {}, this.named(isReal, row.index) + this.clock.rangeText(row.start, row.stop)), made("td", {}, this.sentence(isReal, row)));
      [row.index, row.index, row.reward].forEach((value, k) => (line.cells[k].dataset[k === 2 ? "number" : "order"] = value));
      if (this.chosen && this.chosen.side === side && this.chosen.index === row.index) line.className = "chosen";
      if (!asPoint) on(line, "click", () => this.choose(side, row.index, true));
      return line;
    });
    if (!shown.length) shown.push(made("tr", {}, made("td", { colSpan: 3 }, !listed ? "Too many points to list." : isReal ? "There are no real ranges." : "Nothing is predicted at this threshold.")));
    const focused = document.activeElement && document.activeElement.closest("#range-rows") ? document.activeElement.textContent : null;
    element("range-rows").replaceChildren(...shown);
    sorted(document.querySelector("#ranges table"));
    if (focused) for (const button of element("range-rows").querySelectorAll("button")) if (button.textContent === focused) button.focus({ preventScroll: true });
    const more = found.length - SHOWN_ROWS;
    say("more-rows", more > 0 ? `and ${counted(more)} more with the same or a higher reward` : "");
  }
  // Rows are made once for each prediction and model.
  rowsOf(detector, side) {
    const key = `${modelText(this.model)} ${side}`, known = detector.rows || {};
    if (known.of !== detector.predicted) detector.rows = { of: detector.predicted };
    return (detector.rows[key] = detector.rows[key] || rows(this.real, detector.predicted, this.model, side).map((row, index) => ({ ...row, index })));
  }
  // The name and time of a range, and its sentence for this detector.
  tipText({ side, index, detector }) {
    const isReal = side === "real", ranges = isReal ? this.real : detector.predicted;
    if (!this.canSet || asPoints(this.model, side)) return "";
    return `${isReal ? "R" : `${detector.letter} P`}${index + 1} · ${this.named(isReal, index)}${this.clock.rangeText(ranges.starts[index], ranges.stops[index])} · ${isReal ? `${detector.letter}: ` : ""}${this.sentence(isReal, this.rowsOf(detector, side)[index])}`;
  }
  sentence(isReal, row) {
    const { clock } = this, timed = this.data.timed && row.delay > 0;
    const delay = !timed || clock.ticks ? row.delay : (clock.value(row.start + row.delay) - clock.value(row.start)) * 1e6;
    if (isReal && !row.overlaps && this.detector.facts.met[row.index]) return this.data.before;
    return row.words || rowWords(this.model, isReal, { ...row, delay }, timed);
  }
  // Worst first.
  listedRows() {
    const { side, detector } = this;
    if (asPoints(this.model, side) && Number(pointsIn(side === "real" ? this.real : detector.predicted)) >= MOST_LISTED) return NOTHING;
    const found = this.canSet ? this.rowsOf(detector, side).slice() : (detector.sentences || { real: [], predicted: [] })[side].map(([start, stop, reward, words], index) => ({ start, stop, reward, words, index }));
    return found.sort((a, b) => a.reward - b.reward || a.index - b.index);
  }
  settings() {
    for (const input of all("[data-setting]")) {
      input.disabled = !this.canSet;
      if (document.activeElement !== input) input.value = this.model[input.dataset.setting];
    }
    say("alpha-text", general(this.model.alpha, 4));
    for (const button of all("[data-preset]")) {
      button.disabled = !this.canSet;
      button.setAttribute("aria-pressed", this.canSet && sameModel(this.presets[button.dataset.preset], this.model));
    }
    const points = { real: "Real points", predicted: "Predicted points", both: "Points of both sides" }[this.model.as_points];
    say("points-note", points ? `${points} count one by one in this preset.` : "");
  }
  exact() {
    const { detector, model } = this, { precision, recall, f } = detector.score, text = this.canSet ? modelText(model) : this.data.modelText;
    const at = detector.thresholds ? repr(detector.threshold) : null;
    const line = detector.command.length
      ? [...detector.command, ...(at ? ["--threshold", at] : []), "--model", text].map(quoted).join(" ")
      : `${text}${detector.call}${at ? `.at(${at})` : ""}`;
    const name = this.fName;
    say("exact", `${line}\n# model #${this.canSet ? modelHash(model) : this.data.modelHash}   rangewise ${this.data.version}   ${detector.name}: precision ${repr(precision)} recall ${repr(recall)} ${name} ${repr(f)}`);
  }

  // --- the address stores the state
  rememberSoon() {
    clearTimeout(this.remembering);
    this.remembering = setTimeout(() => this.remember(), 200);
  }
  remember() {
    const series = this.data.series, parts = series === undefined ? [] : [["series", series]];
    // Nothing is written over the address of another series, whose event may still be on its way.
    if (this.gone || (series !== undefined && new URLSearchParams(location.hash.slice(1)).get("series") !== series)) return;
    if (this.detector !== this.opening) parts.push(["det", this.detector.letter]);
    for (const detector of this.detectors) if (detector.thresholds && detector.rank !== detector.givenRank) parts.push([`t.${detector.letter}`, repr(detector.threshold)]);
    for (const key of Object.keys(DEFAULTS)) if (!Object.is(this.model[key], this.fileModel[key])) parts.push([key, this.model[key] === null ? "none" : this.model[key]]);
    if (this.side !== "real") parts.push(["side", this.side]);
    if (this.timeline.to - this.timeline.from < this.clock.span) parts.push(["view", `${general(this.timeline.from, 12)},${general(this.timeline.to, 12)}`]);
    if (this.chosen) parts.push(["range", `${this.chosen.side === "real" ? "R" : "P"}${this.chosen.index + 1}`]);
    this.fragment = parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
    try {
      history.replaceState(null, "", this.fragment ? `#${this.fragment}` : location.href.split("#")[0]);
    } catch {
      // a frame without its own address
    }
  }
  restore() {
    this.opening = this.opening || this.detector;
    const parts = new URLSearchParams(location.hash.slice(1)), changes = {};
    for (const [key, value] of parts) {
      if (!(key in DEFAULTS)) continue;
      const lists = { recall_bias: BIASES, precision_bias: BIASES, recall_cardinality: CARDINALITIES, precision_cardinality: CARDINALITIES, as_points: ["real", "predicted", "both", "none"] };
      if (lists[key] ? lists[key].includes(value) : Number.isFinite(Number(value))) changes[key] = lists[key] ? (value === "none" ? null : value) : Number(value);
    }
    if (changes.alpha !== undefined && !(changes.alpha >= 0 && changes.alpha <= 1)) delete changes.alpha;
    if (changes.beta !== undefined && !(changes.beta > 0)) delete changes.beta;
    const named = this.detectors.find((detector) => detector.letter === parts.get("det"));
    this.detector = named || this.opening;
    if (parts.get("side") === "predicted") this.side = "predicted";
    for (const detector of this.detectors) {
      const value = parts.get(`t.${detector.letter}`);
      if (value !== null && detector.thresholds && !Number.isNaN(Number(value))) this.setThreshold(detector, Number(value));
    }
    const view = (parts.get("view") || "").split(",").map(Number);
    if (view.length === 2 && view[1] > view[0]) this.timeline.show(...view);
    const chosen = /^([RP])(\d+)$/.exec(parts.get("range") || "");
    if (chosen) this.chosen = { side: chosen[1] === "R" ? "real" : "predicted", index: Number(chosen[2]) - 1 };
    if (Object.keys(changes).length && this.canSet) this.set(changes);
    else {
      this.refresh();
      if (this.data.points && this.data.points > 50000) setTimeout(() => this.sweep(), 60);
      else this.sweep();
    }
  }

  controls() {
    this.slider = document.querySelector('[data-role="threshold"]');
    on(window, "pointerdown", () => (this.held = true));
    for (const end of ["pointerup", "pointercancel"]) on(window, end, () => {
      this.held = false;
      if (this.waits) this.refresh();
    });
    // The slider runs over the logarithm of the share predicted; with Shift a tenth as far from where it began.
    let began = null;
    on(this.slider, "pointerdown", () => (this.sliding = true));
    for (const end of ["pointerup", "change", "blur"]) on(this.slider, end, () => (this.sliding = false));
    on(window, "keydown", (event) => event.key === "Shift" && (began = Number(this.slider.value)));
    on(window, "keyup", (event) => event.key === "Shift" && (began = null));
    on(this.slider, "input", () => {
      const at = Number(this.slider.value);
      this.setRank(this.detector, this.rankOf(this.detector, began === null ? at : began + (at - began) / 10));
    });
    on(this.slider, "keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.setRank(this.detector, Math.min(Math.max(this.detector.rank + by, 0), this.detector.thresholds.length - 1));
    });
    const curve = element("curve"), nearest = (event) => {
      const box = curve.firstChild.getBoundingClientRect(), scale = 320 / box.width, { detector } = this;
      return detector.thresholds && detector.curve && detector.curve.recall.length === detector.thresholds.length ? curvePoint(detector.curve, (event.clientX - box.left) * scale, (event.clientY - box.top) * scale) : -1;
    };
    on(curve, "pointerdown", (event) => {
      const at = nearest(event);
      if (at < 0 || this.slider.disabled) return;
      curve.setPointerCapture(event.pointerId);
      this.setRank(this.detector, this.detector.thresholds.length - 1 - at);
    });
    on(curve, "pointermove", (event) => {
      const at = nearest(event), { detector } = this;
      if (at < 0) return;
      if (event.buttons && !this.slider.disabled) return this.setRank(detector, detector.thresholds.length - 1 - at);
      const precision = detector.curve.precision[at], recall = detector.curve.recall[at];
      say("curve-reading", `score ≥ ${general(detector.thresholds[detector.thresholds.length - 1 - at], 6)}: precision ${threeDigits(precision)}, recall ${threeDigits(recall)}, ${this.fName} ${threeDigits(fScore(precision, recall, this.model.beta))}`);
    });
    this.buttons = this.detectors.map((detector, k) => {
      const value = made("b"), button = made("button", { type: "button", data: { detector: detector.name } }, made("span", {}, `${detector.letter} ${shortened(detector.name, 26)}`), value);
      button.title = detector.name;
      on(button, "click", () => this.select(k));
      element("detectors").append(button);
      return [button, value];
    });
    on(element("typed"), "change", (event) => {
      const value = Number(event.target.value.replace(",", "."));
      if (event.target.value.trim() && !Number.isNaN(value)) this.setThreshold(this.detector, value);
      event.target.value = repr(this.detector.threshold);
    });
    on(element("as-given"), "click", () => this.setRank(this.detector, this.detector.givenRank, this.detector.givenThreshold));
    on(element("best-f"), "click", () => this.detector.best !== undefined && this.setRank(this.detector, this.detector.best));
    for (const button of all("[data-side]")) on(button, "click", () => {
      this.side = button.dataset.side;
      this.chosen = null;
      this.refresh();
    });
    this.presets = { "as given": this.fileModel, ranges: { ...DEFAULTS } };
    for (const [name, preset] of Object.entries(this.data.presets)) this.presets[name] = settingsOf(preset);
    if (sameModel(this.fileModel, this.presets.ranges)) delete this.presets["as given"];
    for (const name of Object.keys(this.presets)) {
      const button = made("button", { type: "button", data: { preset: name } }, name.replaceAll("_", " "));
      on(button, "click", () => this.set(this.presets[name]));
      element("presets").append(button);
    }
    const choices = { bias: [BIASES, BIAS_WORDS], cardinality: [CARDINALITIES, PIECES_WORDS] };
    for (const input of all("[data-setting]")) {
      const key = input.dataset.setting, choice = choices[key.split("_")[1]];
      if (choice) input.append(...choice[0].map((name) => made("option", { value: name }, choice[1][name])));
      on(input, choice ? "change" : "input", () => {
        const value = choice ? input.value : Number(input.value);
        if (key === "beta" ? value > 0 && value < Infinity : key === "alpha" ? value >= 0 && value <= 1 : true) this.set({ [key]: value });
      });
    }
    this.takeaway = new Takeaway(this);
    on(element("copy"), "click", () => copyText(element("exact").textContent));
    on(element("print"), "click", () => print());
    const again = () => {
      this.readLook();
      this.timeline.draw();
      this.drawCurve();
    };
    on(matchMedia("(prefers-color-scheme: dark)"), "change", again);
    for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) on(window, event, () => {
      document.documentElement.classList.toggle("printing", printing);
      again();
    });
    on(matchMedia("print"), "change", again);
    this.observer = new ResizeObserver(() => {
      this.timeline.measure();
      this.draw();
    });
    this.observer.observe(element("happened"));
    on(window, "hashchange", () => {
      if (location.hash.slice(1) === this.fragment) return;
      Object.assign(this.model, this.fileModel);
      for (const detector of this.detectors) if (detector.thresholds) Object.assign(detector, { rank: detector.givenRank, threshold: detector.givenThreshold, chance: null });
      for (const detector of this.detectors) this.apply(detector);
      this.side = "real";
      this.chosen = null;
      this.restore();
    });
    if (element("contests")) element("contest-table").open = element("bump").offsetParent === null;
    const best = this.detectors.filter((detector) => detector.policy === "best").map((detector) => detector.name);
    if (best.length && !this.data.overview) element("policy").textContent = `No threshold was given for ${listed(best)}, so it was chosen with the labels (largest F without a high alert rate): the score is an upper bound.`;
  }
}

const below = (value) => {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const bits = view.getInt32(0);
  view.setInt32(0, value > 0 ? bits - 1 : value < 0 ? bits + 1 : -2147483647);
  return view.getFloat32(0);
};
function firstAtLeast(array, value) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}
// The rank of the largest F without a high alert rate, as entries.best_threshold, and of the largest F; of ties, the highest threshold.
function bestOf({ precision, recall }, predicted, { model, data, realPoints }) {
  const share = realPoints / data.counted, last = precision.length - 1;
  let fair = -1, most = -1, best = 0, largest = 0;
  for (let i = 0; i <= last && realPoints; i++) {
    const f = fScore(precision[i], recall[i], model.beta);
    if (f > most) [most, largest] = [f, i];
    if (f > fair && !isHighAlertRate(predicted[i] / data.counted, share)) [fair, best] = [f, i];
  }
  return { best: last - best, largest: last - largest, largestF: most, largestRate: predicted[largest] / data.counted };
}
// The ranges that a detector finds, whatever the model scores.
function factsOf(real, predicted, lead) {
  const met = new Uint8Array(real.starts.length);
  let touching = 0, last = -1, common = 0, pairs = 0;
  walk(real, predicted, (i, j, low, high) => {
    met[i] = 1;
    pairs++;
    if (j !== last) touching++;
    last = j;
    common += Number(high - low);
  }, () => {}, () => {});
  // With a lead, an alert shortly before an incident counts for it.
  for (let i = 0; lead && i < met.length; i++) if (predicted.starts.some((start, j) => start < real.stops[i] && BigInt(predicted.stops[j]) > BigInt(real.starts[i]) - lead)) met[i] = 1;
  const found = met.reduce((sum, one) => sum + one, 0), all = Number(pointsIn(real)), alarms = predicted.starts.length;
  return { met, found, alarms, false: alarms - touching, covered: all ? common / all : 0, pieces: found ? pairs / found : 0 };
}

async function unpackedParts(data) {
  const ignored = data.ignored ? await unpackedSide(data.ignored) : null;
  const detectors = await Promise.all(data.detectors.map(async (one) => {
    const found = { ...one, fileScore: { precision: number(one.score[0]), recall: number(one.score[1]), f: number(one.score[2]) }, givenRank: one.rank };
    if (one.threshold !== undefined) found.givenThreshold = found.threshold = number(one.threshold);
    if (one.predicted) found.predicted = await unpackedSide(one.predicted);
    if (one.stops) {
      found.stops = await Promise.all(one.stops.map(unpacked));
      found.thresholds = found.stops[0].slice().reverse();
      found.rank = found.givenRank = firstAtLeast(found.thresholds, found.threshold);
      found.curve = { precision: found.stops[1], recall: found.stops[2] };
    } else if (one.ranks) {
      [found.ranks, found.thresholds] = await Promise.all([unpacked(one.ranks), unpackedThresholds(one)]);
      found.separated = Boolean(one.separators);
      if (ignored) {
        found.ranks = Int32Array.from(found.ranks);
        for (let k = 0; k < ignored.starts.length; k++) found.ranks.fill(-1, ignored.starts[k], ignored.stops[k]);
      }
      if (one.thin) {
        const [precision, recall] = await Promise.all(one.thin.map(unpacked));
        found.curve = { precision, recall };
      }
    } else delete found.thresholds;
    return found;
  }));
  const [real, values, at] = await Promise.all([unpackedSide(data.real), unpackedValues(data.values), data.clock.at ? unpacked(data.clock.at) : null]);
  return { real, ignored, values, detectors, clock: new Clock(data.clock, at) };
}
async function boot() {
  const data = JSON.parse(element("data").textContent);
  if (data.index) return void new SeriesIndex(data);
  const parts = await unpackedParts(data);
  document.documentElement.classList.add("js");
  window.page = new Page(data, parts);
}
if (typeof DecompressionStream === "function") boot();
