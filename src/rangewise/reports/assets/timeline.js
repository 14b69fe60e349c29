"use strict";
// The timeline: values, real ranges and one lane per detector, on a canvas, with zoom and pan; the strip below shows the position.

const LANE = 20, LANE_GAP = 6, VALUES_HEIGHT = 200, TRACE = 96, AXIS = 24;
const DENSE = 4, BIN = 4; // more ranges than a quarter of the columns; columns a bin

class Timeline {
  constructor(page) {
    this.page = page;
    this.canvas = element("timeline");
    this.strip = element("overview");
    this.tip = element("tip");
    this.handle = element("handle");
    this.from = 0;
    this.to = page.clock.span;
    this.measure();
    this.listen();
  }
  // The width is kept: asking for it while drawing makes the browser lay the whole page out for each frame.
  measure() {
    this.width = this.canvas.clientWidth;
    this.stripWidth = this.strip.clientWidth;
  }
  get gutter() {
    return this.width < 560 ? 0 : 150;
  }
  get lane() {
    return this.gutter ? LANE : LANE + 15; // on a narrow screen a lane's name stands above it
  }
  show(from, to) {
    const span = this.page.clock.span, least = Math.min(span, this.page.clock.ticks ? 1e6 : 8);
    const width = Math.min(Math.max(to - from, least), span), start = Math.min(Math.max(from, 0), span - width);
    this.from = start;
    this.to = start + width;
    this.page.draw();
    this.page.rememberSoon();
  }
  zoom(factor, around = (this.from + this.to) / 2) {
    this.show(around - (around - this.from) * factor, around + (this.to - around) * factor);
  }
  pan(share) {
    const by = (this.to - this.from) * share;
    this.show(this.from + by, this.to + by);
  }
  focus(start, stop) {
    const low = this.page.clock.place(start), high = this.page.clock.place(stop), room = Math.max((high - low) * 1.2, (this.page.clock.ticks ? 6e10 : 12));
    this.show(low - room, high + room);
  }
  x(place, width) {
    return this.gutter + ((place - this.from) / (this.to - this.from)) * (width - this.gutter);
  }
  place(x) {
    return this.from + ((x - this.gutter) / (this.width - this.gutter)) * (this.to - this.from);
  }
  listen() {
    const canvas = this.canvas, page = this.page;
    const fingers = new Map(), at = (event) => event.clientX - canvas.getBoundingClientRect().left;
    let held = null; // {x, from, to, pans, moved}, or {places, xs} of two fingers
    const pinch = () => {
      const xs = [...fingers.values()];
      held = { xs, places: xs.map((x) => this.place(x)), moved: true };
    };
    on(canvas, "pointerdown", (event) => {
      if (event.button) return;
      const touch = event.pointerType === "touch", x = at(event);
      if (touch) fingers.set(event.pointerId, x);
      if (fingers.size === 2) return pinch();
      held = { x, from: this.from, to: this.to, pans: touch || event.shiftKey, moved: false };
    });
    on(canvas, "pointermove", (event) => {
      const x = at(event), box = canvas.getBoundingClientRect();
      this.read(x, event.clientY - box.top);
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, x);
      if (!held) return;
      if (held.places && fingers.size === 2) {
        const [one, two] = [...fingers.values()], scale = (held.places[1] - held.places[0]) / (two - one);
        if (Math.abs(two - one) > 8 && scale > 0) this.show(held.places[0] - (one - this.gutter) * scale, held.places[0] + (box.width - one) * scale);
        return;
      }
      const by = x - held.x;
      if (Math.abs(by) > 4 && !held.moved && held.from !== undefined) {
        held.moved = true;
        canvas.setPointerCapture(event.pointerId);
      }
      if (!held.moved) return;
      if (held.pans) {
        const shift = (-by * (held.to - held.from)) / (box.width - this.gutter);
        return this.show(held.from + shift, held.to + shift);
      }
      this.selected = [Math.max(this.gutter, Math.min(held.x, x)), Math.min(box.width, Math.max(held.x, x))];
      page.draw();
    });
    const release = (event) => {
      fingers.delete(event.pointerId);
      if (event.type === "pointerup" && held && !held.moved) this.pick(at(event), event.clientY - canvas.getBoundingClientRect().top);
      if (event.type === "pointerup" && this.selected) this.show(...this.selected.map((x) => this.place(x)));
      held = this.selected = null;
      page.draw();
    };
    on(canvas, "pointerup", release);
    on(canvas, "pointercancel", release);
    on(canvas, "pointerleave", () => (this.tip.hidden = true));
    on(canvas, "dblclick", () => this.show(0, page.clock.span));
    on(canvas, "wheel", (event) => {
      // The wheel scrolls the page until the timeline has been clicked, and again when there is nothing left to zoom out of.
      const out = event.deltaY > 0, whole = this.to - this.from >= page.clock.span, sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (!event.ctrlKey && !sideways && (document.activeElement !== canvas || (out && whole))) return;
      event.preventDefault();
      if (sideways && !event.ctrlKey) this.pan((event.deltaX || event.deltaY) > 0 ? 0.1 : -0.1);
      else this.zoom(out ? 1.25 : 0.8, this.place(at(event)));
    }, { passive: false });
    on(canvas, "keydown", (event) => {
      const acts = {
        ArrowLeft: () => this.pan(-0.1), ArrowRight: () => this.pan(0.1), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5),
        "-": () => this.zoom(2), Home: () => this.show(0, page.clock.span), n: () => page.step(1), p: () => page.step(-1),
      };
      if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      acts[event.key]();
    });
    // The threshold line: the pointer's height is a score. With Shift it moves a tenth as far.
    let line = null;
    on(this.handle, "pointerdown", (event) => {
      this.handle.setPointerCapture(event.pointerId);
      line = { y: event.clientY, from: this.scoreY(page.detector.threshold) };
      event.preventDefault();
    });
    on(this.handle, "pointermove", (event) => {
      if (!line) return;
      const { thresholds } = page.detector, y = line.from + (event.clientY - line.y) * (event.shiftKey ? 0.1 : 1);
      page.setRank(page.detector, Math.min(firstAtLeast(thresholds, this.scoreAt(y)), thresholds.length - 1));
    });
    for (const end of ["pointerup", "pointercancel"]) on(this.handle, end, () => (line = null));
    const jump = (event) => {
      const box = this.strip.getBoundingClientRect();
      const at = ((event.clientX - box.left - this.gutter) / (box.width - this.gutter)) * page.clock.span, half = (this.to - this.from) / 2;
      this.show(at - half, at + half);
    };
    on(this.strip, "pointerdown", (event) => {
      this.strip.setPointerCapture(event.pointerId);
      jump(event);
    });
    on(this.strip, "pointermove", (event) => event.buttons && jump(event));
    const press = (id, act) => on(element(id), "click", act);
    press("zoom-in", () => this.zoom(0.5));
    press("zoom-out", () => this.zoom(2));
    press("zoom-all", () => this.show(0, page.clock.span));
    press("previous", () => page.step(-1));
    press("next", () => page.step(1));
  }
  // What is under the pointer, as text.
  read(x, y) {
    this.readValue(x);
    const under = this.under(x, y), { tip, page } = this, text = under && page.tipText(under);
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    tip.style.top = `${y + 18}px`;
    tip.style.left = `${Math.max(0, Math.min(x + 12, this.width - tip.offsetWidth))}px`;
  }
  // The range at a position of the canvas: {side, index, detector}.
  under(x, y) {
    const { page } = this, place = this.place(x), slack = ((this.to - this.from) / this.width) * 4;
    const lane = Math.floor((y - this.top) / (this.lane + LANE_GAP)) - 1, detector = page.detectors[lane];
    const inside = (side) => {
      const { low, high } = page.places(side), i = firstAfter(high, place - slack);
      return i < low.length && low[i] <= place + slack ? i : -1;
    };
    const hit = y > this.top && detector ? inside(detector.predicted) : -1;
    if (hit >= 0) return { side: "predicted", index: hit, detector };
    const real = inside(page.real);
    return real >= 0 ? { side: "real", index: real, detector: (y > this.top && detector) || page.detector } : null;
  }
  readValue(x) {
    const { clock, values } = this.page, place = this.place(x);
    if (x < this.gutter || place < 0 || place >= clock.span) return;
    let text = clock.textAt(place);
    if (values && values.width === 1) {
      const level = values.levels[Math.floor(place)];
      if (level !== 65535) text += ` · ${general(levelValue(values, level), 4)}`;
    }
    say("reading", text);
  }
  pick(x, y) {
    const { page } = this, lane = Math.floor((y - this.top) / (this.lane + LANE_GAP)) - 1, hit = this.under(x, y);
    if (y > this.top && page.detectors[lane]) page.select(lane);
    if (hit) page.choose(hit.side, hit.index);
  }
  // The height of a score, and the score of a height.
  scoreY(score) {
    const { low, high, top } = this.trace;
    return top + TRACE - 12 - Math.min(1, Math.max(0, high > low ? (score - low) / (high - low) : 0.5)) * (TRACE - 24);
  }
  scoreAt(y) {
    const { low, high, top } = this.trace;
    return low + (high - low) * Math.min(1, Math.max(0, (top + TRACE - 12 - y) / (TRACE - 24)));
  }
  // The scores of the chosen detector, with the threshold as a line.
  drawTrace(pen, columns, top) {
    const { page } = this, { look, detector } = page, { ranks, thresholds, letter } = detector, key = `${letter} ${this.from} ${this.to} ${columns}`;
    if (this.traceKey !== key) {
      let low = 0, high = thresholds.length - 1;
      while (low < high && !Number.isFinite(thresholds[low])) low++;
      while (high > low && !Number.isFinite(thresholds[high])) high--;
      this.trace = { ...envelopeOf({ levels: ranks, width: 1, missing: -1 }, this.from, this.to, columns), low: thresholds[low], high: thresholds[high] };
      this.traceKey = key;
    }
    this.trace.top = top;
    const { lows, highs, low, high } = this.trace, y = (rank) => this.scoreY(thresholds[rank]);
    if (this.gutter) this.scale(pen, low, high, (score) => this.scoreY(score), 3);
    pen.strokeStyle = look.quiet;
    this.line(pen, columns, highs, lows, y);
    const at = Math.round(this.scoreY(detector.threshold));
    pen.fillStyle = look.mark;
    pen.fillRect(this.gutter, at, columns, 1.5);
    pen.font = `12px ${look.font}`;
    pen.textAlign = "right";
    pen.fillText(`${letter}: score ≥ ${general(detector.threshold, 6)} ⇕`, this.gutter + columns - 4, at < top + 26 ? at + 10 : at - 9);
    this.handle.style.top = `${at - 8}px`;
    this.handle.style.left = `${this.gutter}px`;
  }
  line(pen, columns, highs, lows, y) {
    pen.lineWidth = 1;
    pen.beginPath();
    let open = false;
    for (let c = 0; c < columns; c++) {
      if (highs[c] < 0) {
        open = false;
        continue;
      }
      const x = this.gutter + c + 0.5;
      if (open) pen.lineTo(x, y(highs[c]));
      else pen.moveTo(x, y(highs[c]));
      if (lows[c] !== highs[c]) pen.lineTo(x, y(lows[c]));
      open = true;
    }
    pen.stroke();
  }
  draw() {
    const { page, canvas } = this, { detectors } = page;
    this.paint();
    this.drawStrip();
    const shown = page.clock.span === this.to - this.from ? "all of it" : `${page.clock.textAt(this.from)} to ${page.clock.textAt(this.to - 1e-9)}`;
    canvas.setAttribute("aria-label", `Timeline, ${shown}. ${detectors.map((d) => `${d.name}: ${several(d.predicted.starts.length, "alarm")}`).join(", ")}.`);
  }
  // On the canvas, or on another drawing context.
  paint(other) {
    const { page, canvas } = this, { detectors, values } = page, look = page.look;
    const traced = Boolean(page.detector.ranks), begins = values ? VALUES_HEIGHT : 4;
    this.top = begins + (traced ? TRACE : 0);
    this.handle.hidden = !traced;
    const height = this.top + (detectors.length + 1) * (this.lane + LANE_GAP) + AXIS, { width } = this;
    const pen = other || prepared(canvas, width, height), columns = Math.max(1, Math.floor(width - this.gutter)), real = page.places(page.real);
    pen.fillStyle = look.shade;
    this.each(real, (x0, x1) => pen.fillRect(x0, 0, Math.max(1, x1 - x0), height - AXIS));
    if (values) this.drawValues(pen, columns);
    if (traced) this.drawTrace(pen, columns, begins);
    pen.font = `12px ${look.font}`;
    pen.textBaseline = "middle";
    this.name(pen, page.data.overview ? "incidents" : "real", this.top, look.ink);
    pen.fillStyle = look.real;
    const y = this.laneTop(0);
    // If there are many ranges, a column shows the shares of found, false and missed.
    this.dense = (firstAfter(real.low, this.to) - firstAfter(real.high, this.from)) * DENSE > columns;
    if (this.dense) {
      const amounts = new Float64Array(Math.ceil(columns / BIN));
      this.each(real, (x0, x1, i) => this.fill(amounts, real.low[i], real.high[i], columns / BIN / (this.to - this.from)));
      amounts.forEach((amount, b) => pen.fillRect(this.gutter + b * BIN, y + LANE * (1 - amount), BIN - 1, LANE * amount));
    } else this.each(real, (x0, x1, i) => {
      pen.fillRect(x0, y, Math.max(2, x1 - x0), LANE);
      if (x1 - x0 > 26) {
        pen.fillStyle = look.card;
        pen.textAlign = "center";
        pen.fillText(`R${i + 1}`, (Math.max(x0, this.gutter) + Math.min(x1, width)) / 2, y + LANE / 2 + 1);
        pen.fillStyle = look.real;
      }
    });
    detectors.forEach((detector, k) => this.drawLane(pen, detector, k, columns, real));
    this.drawAxis(pen, width, height);
    const chosen = page.chosen && (page.chosen.side === "real" ? page.real : page.detector.predicted);
    if (chosen && page.chosen.index < chosen.starts.length) {
      const places = page.places(chosen), x0 = this.x(places.low[page.chosen.index], width), x1 = this.x(places.high[page.chosen.index], width);
      pen.strokeStyle = look.mark;
      pen.lineWidth = 2;
      if (x1 > this.gutter && x0 < width) pen.strokeRect(Math.max(x0, this.gutter) - 1, 1, Math.max(3, Math.min(x1, width) - Math.max(x0, this.gutter) + 2), height - AXIS - 2);
    }
    if (this.selected) {
      pen.globalAlpha = 0.25;
      pen.fillStyle = look.mark;
      pen.fillRect(this.selected[0], 0, this.selected[1] - this.selected[0], height - AXIS);
      pen.globalAlpha = 1;
    }
  }
  laneTop(k) {
    return this.top + k * (this.lane + LANE_GAP) + this.lane - LANE;
  }
  name(pen, text, top, color) {
    pen.fillStyle = color;
    pen.textAlign = this.gutter ? "right" : "left";
    let shown = text;
    for (let most = text.length; this.gutter && most > 6 && pen.measureText(shown).width > this.gutter - 10; most--) shown = shortened(text, most);
    pen.fillText(shown, this.gutter ? this.gutter - 8 : 0, top + (this.gutter ? LANE / 2 : 7));
  }
  // The visible ranges, with their ends on the canvas.
  each({ low, high }, act) {
    const { width } = this;
    for (let i = firstAfter(high, this.from); i < low.length && low[i] < this.to; i++)
      act(Math.max(this.gutter, this.x(low[i], width)), Math.min(width, this.x(high[i], width)), i);
  }
  drawValues(pen, columns) {
    const { values, look } = this.page, key = `${this.from} ${this.to} ${columns}`;
    if (this.envelopeKey !== key) {
      this.envelope = envelopeOf(values, this.from, this.to, columns);
      this.envelopeKey = key;
    }
    const room = VALUES_HEIGHT - 22, y = (level) => 8 + room * (1 - level / 65534), { lows, highs } = this.envelope;
    if (this.gutter) this.scale(pen, values.low, values.high, (value) => y((65534 * (value - values.low)) / (values.high - values.low)), 5);
    pen.strokeStyle = look.ink;
    this.line(pen, columns, highs, lows, y);
  }
  // Round numbers along the left side.
  scale(pen, low, high, y, most) {
    const { look } = this.page;
    pen.font = `12px ${look.font}`;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const [value, text] of roundTicks(low, high, most)) {
      pen.fillStyle = look.line;
      pen.fillRect(this.gutter, Math.round(y(value)), this.width - this.gutter, 1);
      pen.fillStyle = look.quiet;
      pen.fillText(text, this.gutter - 8, y(value));
    }
  }
  drawLane(pen, detector, k, columns, real) {
    const { page } = this, look = page.look, top = this.laneTop(k + 1);
    const chosen = detector === page.detector;
    this.name(pen, `${chosen ? "▸ " : ""}${detector.letter} ${detector.name}`, this.top + (k + 1) * (this.lane + LANE_GAP), chosen ? look.ink : look.quiet);
    pen.fillStyle = look.line;
    pen.fillRect(this.gutter, top + LANE, columns, 1);
    const { kinds, amounts, bins } = this.shares(detector, columns, real);
    if (this.dense) {
      for (let b = 0; b < bins; b++) {
        const missed = Math.max(0, amounts[2][b] - amounts[0][b]), all = amounts[0][b] + amounts[1][b] + missed, x = this.gutter + b * BIN;
        if (!all) continue;
        const found = (LANE * amounts[0][b]) / all, wrong = (LANE * amounts[1][b]) / all;
        pen.fillStyle = look.found;
        pen.fillRect(x, top + LANE - found, BIN - 1, found);
        pen.fillStyle = look.false;
        pen.fillRect(x, top + LANE - found - wrong, BIN - 1, wrong);
        pen.fillStyle = look.line;
        pen.fillRect(x, top, BIN - 1, LANE - found - wrong);
      }
      return;
    }
    for (let c = 0; c < columns; ) {
      const kind = kinds[c] & 1 || kinds[c], start = c;
      while (c < columns && (kinds[c] & 1 || kinds[c]) === kind) c++;
      if (!kind) continue;
      pen.fillStyle = kind === 1 ? look.found : page.hatch(pen);
      pen.fillRect(this.gutter + start, top, Math.max(2, c - start), LANE);
      if (kind === 2 && c - start < 4) {
        pen.fillStyle = look.false;
        pen.fillRect(this.gutter + start, top, Math.max(2, c - start), LANE);
      }
    }
    pen.setLineDash([4, 3]);
    pen.strokeStyle = look.ink;
    pen.lineWidth = 1;
    this.each(real, (x0, x1, i) => {
      if (!detector.facts.met[i]) pen.strokeRect(x0 + 0.5, top + 1.5, Math.max(5, x1 - x0 - 1), LANE - 3);
    });
    pen.setLineDash([]);
  }
  // What lies in each column of a lane, found (1) or false (2), or the shares of both and of what is real; kept until the view or the prediction changes.
  shares(detector, columns, real) {
    const key = `${this.from} ${this.to} ${columns} ${this.dense}`, { predicted, lane } = detector;
    if (lane && lane.key === key && lane.predicted === predicted) return lane;
    const kinds = new Uint8Array(columns + 1), scale = columns / (this.to - this.from), { low, high } = this.page.places(predicted);
    const bins = Math.ceil(columns / BIN), amounts = this.dense && [new Float64Array(bins), new Float64Array(bins), new Float64Array(bins)];
    const paint = (from, to, kind) => {
      if (this.dense) return this.fill(amounts[kind - 1], from, to, scale / BIN);
      const c0 = Math.max(0, Math.floor((from - this.from) * scale)), c1 = Math.min(columns, Math.max(c0 + 1, Math.ceil((to - this.from) * scale)));
      for (let c = c0; c < c1; c++) kinds[c] |= kind;
    };
    let j = firstAfter(real.high, this.from);
    for (let i = firstAfter(high, this.from); i < low.length && low[i] < this.to; i++) {
      let at = low[i];
      while (j < real.low.length && real.high[j] <= at) j++;
      for (let m = j; m < real.low.length && real.low[m] < high[i]; m++) {
        if (real.low[m] > at) paint(at, real.low[m], 2);
        paint(Math.max(at, real.low[m]), Math.min(high[i], real.high[m]), 1);
        at = Math.min(high[i], real.high[m]);
      }
      if (at < high[i]) paint(at, high[i], 2);
    }
    if (this.dense) this.each(real, (x0, x1, i) => paint(real.low[i], real.high[i], 3));
    return (detector.lane = { key, predicted, kinds, amounts, bins });
  }
  // Adds the part of each bin that lies between two places.
  fill(amounts, from, to, scale) {
    const last = Math.min(amounts.length, (to - this.from) * scale);
    for (let at = Math.max(0, (from - this.from) * scale); at < last; ) {
      const next = Math.min(last, Math.floor(at) + 1);
      amounts[Math.floor(at)] += next - at;
      at = next;
    }
  }
  drawAxis(pen, width, height) {
    const { look, clock } = this.page, context = clock.dated && !clock.elapsed ? clock.textAt(this.from).slice(0, 10) : clock.kind === "rows" ? "row" : "";
    pen.fillStyle = look.quiet;
    pen.textAlign = "right";
    if (this.gutter) pen.fillText(context, this.gutter - 8, height - 8);
    pen.textAlign = "center";
    for (const [place, text] of clock.marks(this.from, this.to, Math.max(2, Math.floor((width - this.gutter) / 110)))) {
      const x = this.x(place, width), half = pen.measureText(text).width / 2;
      pen.fillRect(x, height - AXIS + 2, 1, 4);
      pen.fillText(text, Math.min(Math.max(x, this.gutter + half), width - half), height - 8);
    }
  }
  drawStrip() {
    const { page, strip, gutter } = this, look = page.look, width = this.stripWidth, height = 36, pen = prepared(strip, width, height);
    const columns = Math.max(1, Math.floor(width - gutter)), scale = columns / page.clock.span, real = page.places(page.real);
    if (page.values) {
      if (this.stripColumns !== columns) this.whole = envelopeOf(page.values, 0, page.clock.span, (this.stripColumns = columns));
      pen.fillStyle = look.quiet;
      for (let c = 0; c < columns; c++)
        if (this.whole.highs[c] >= 0) {
          const top = 25 * (1 - this.whole.highs[c] / 65534), bottom = 25 * (1 - this.whole.lows[c] / 65534);
          pen.fillRect(gutter + c, top, 1, Math.max(1, bottom - top));
        }
    }
    pen.fillStyle = look.real;
    for (let i = 0; i < real.low.length; i++) pen.fillRect(gutter + real.low[i] * scale, 28, Math.max(2, (real.high[i] - real.low[i]) * scale), 7);
    pen.strokeStyle = look.mark;
    pen.lineWidth = 2;
    pen.strokeRect(gutter + this.from * scale + 1, 1, Math.max(4, (this.to - this.from) * scale - 2), height - 2);
  }
}

const levelValue = (values, level) => values.low + (values.high - values.low) * (level / 65534);
// The first index whose value is above `place`, in an ascending array.
function firstAfter(array, place) {
  let low = 0, high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
function prepared(canvas, width, height) {
  const ratio = document.documentElement.classList.contains("printing") ? 2 : window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
// Minimum and maximum level of each column; -1 if there is none.
function envelopeOf({ levels, width, missing = 65535 }, from, to, columns) {
  const lows = new Int32Array(columns), highs = new Int32Array(columns).fill(-1), scale = columns / (to - from);
  // A reduced page has two levels per block, the minimum and the maximum.
  const step = width === 1 ? 1 : width / 2, first = Math.max(0, Math.floor(from / step)), last = Math.min(levels.length, Math.ceil(to / step));
  for (let i = first; i < last; i++) {
    const level = levels[i];
    if (level === missing) continue;
    const column = Math.min(columns - 1, Math.max(0, Math.floor((i * step - from) * scale)));
    if (highs[column] < 0) lows[column] = highs[column] = level;
    else if (level > highs[column]) highs[column] = level;
    else if (level < lows[column]) lows[column] = level;
  }
  // Fewer points than columns: a straight line between neighbors.
  if (last - first < columns)
    for (let c = 0, before = -1; c < columns; c++) {
      if (highs[c] < 0) continue;
      for (let k = before + 1; before >= 0 && k < c; k++) lows[k] = highs[k] = Math.round(lows[before] + ((highs[c] - lows[before]) * (k - before)) / (c - before));
      before = c;
    }
  return { lows, highs };
}
