"use strict";
// The page's data: arrays as reports/pack.py packed them, and where a position is (reports/clock.py).

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
const KINDS = { u2: Uint16Array, u4: Uint32Array, f4: Float32Array, f8: Float64Array };
async function unpacked({ kind, length, data }) {
  const stream = new Blob([bytesOf(data)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const size = Number(kind.slice(1)), bytes = new Uint8Array(length * size);
  for (let plane = 0; plane < size; plane++)
    for (let i = 0, from = plane * length, to = plane; i < length; i++, from++, to += size) bytes[to] = planes[from];
  return new KINDS[kind](bytes.buffer);
}
function summed(steps) {
  for (let i = 1; i < steps.length; i++) steps[i] += steps[i - 1]; // wraps as the packing did
  return steps;
}
async function unpackedSide(found) {
  const big = found.text && typeof found.text[0] === "string";
  const bounds = found.text ? (big ? found.text.map(BigInt) : found.text) : summed(await unpacked(found));
  const half = (odd) => {
    const part = big ? [] : new Float64Array(bounds.length / 2);
    for (let i = 0; i < bounds.length / 2; i++) part[i] = bounds[2 * i + odd];
    return part;
  };
  return { starts: half(0), stops: half(1) };
}
async function unpackedValues(found) {
  if (!found) return null;
  return { low: found.low, high: found.high, width: found.width, levels: summed(await unpacked(found.steps)) };
}
// The threshold of each distinct score: the score itself, or a float32 that separates it from the one below.
async function unpackedThresholds(found) {
  if (found.thresholds) return unpacked(found.thresholds);
  const keys = summed(await unpacked(found.separators));
  for (let i = 0; i < keys.length; i++) keys[i] = keys[i] >>> 31 ? keys[i] & 0x7fffffff : ~keys[i];
  const thresholds = Float64Array.from(new Float32Array(keys.buffer));
  if (found.exact) {
    const at = summed(await unpacked(found.exact_at)), exact = await unpacked(found.exact);
    for (let i = 0; i < at.length; i++) thresholds[at[i]] = exact[i];
  }
  return thresholds;
}

// Positions are rows or, where `ticks`, UTC nanoseconds; on the screen they count from the first.
class Clock {
  constructor(found, at) {
    Object.assign(this, found, { at });
    this.ticks = found.kind === "ticks";
    this.origin = this.ticks ? BigInt(found.first) : 0;
    this.span = Math.max(1, this.ticks ? Number(BigInt(found.last) - this.origin) : found.last);
  }
  place(position) {
    return this.ticks ? Number(BigInt(position) - this.origin) : position;
  }
  // Milliseconds or the number of a place.
  value(place) {
    if (this.ticks) return Number((this.origin + BigInt(this.epoch)) / 1000000n) + place / 1e6;
    if (this.at) return this.at[Math.min(Math.max(Math.floor(place), 0), this.at.length - 1)];
    return this.kind === "rows" ? place : this.start + this.step * place;
  }
  get ascending() {
    if (this.sortedTimes === undefined) this.sortedTimes = this.at.every((value, i) => !i || value >= this.at[i - 1]);
    return this.sortedTimes;
  }
  get dated() {
    return this.ticks || this.kind === "dates";
  }
  // Milliseconds from UTC to the zone in which times are shown.
  shift(ms) {
    if (!this.zone || this.zone === "UTC") return 0;
    this.format = this.format || new Intl.DateTimeFormat("sv-SE", { timeZone: this.zone, dateStyle: "short", timeStyle: "medium" });
    const whole = Math.floor(ms / 1000) * 1000;
    return Date.parse(`${this.format.format(whole).replace(" ", "T")}Z`) - whole;
  }
  textAt(place) {
    if (this.elapsed) return elapsedText(Math.floor(this.value(place)));
    if (this.dated) return new Date(this.value(place) + this.shift(this.value(place))).toISOString().slice(0, 19).replace("T", " ").replace(/:00$/, "");
    return this.kind === "rows" ? `row ${counted(Math.floor(place))}` : general(this.value(Math.floor(place)), 6);
  }
  text(position) {
    const place = this.place(position);
    return this.textAt(this.kind === "rows" || this.ticks ? place : Math.min(place, this.last - 1));
  }
  rangeText(start, stop) {
    const length = Number(stop - start);
    return `${this.text(start)} · ${this.ticks ? durationText(length) : `${counted(length)} ${length === 1 ? "point" : "points"}`}`;
  }
  // Round places between two, with what to write there.
  marks(from, to, most) {
    const found = this.roundMarks(from, to, most);
    return found.length < 2 && most < 8 ? this.roundMarks(from, to, most + 2) : found;
  }
  roundMarks(from, to, most) {
    const dates = this.at && this.dated && this.ascending, regular = !this.at || dates, zone = this.dated ? this.shift(this.value(from)) : 0, low = regular ? this.value(from) + zone : from, high = regular ? this.value(to) + zone : to;
    const scale = (to - from) / (high - low), marks = [], add = (value, text) => {
      const place = dates ? firstAtLeast(this.at, value - zone) : from + (value - low) * scale;
      // A gap in time has many dates at one place.
      if (!dates || !marks.length || place - marks[marks.length - 1][0] > (0.5 * (to - from)) / most) marks.push([place, text]);
    };
    if (!this.dated || !regular) {
      const step = niceStep((high - low) / most);
      for (let v = Math.ceil(low / step) * step; v <= high; v += step) add(v, !regular ? this.textAt(v).slice(0, 16) : this.kind === "rows" ? counted(v) : general(v, 6));
      return marks;
    }
    const rough = (high - low) / most, day = 86400000;
    if (rough > 20 * day && !this.elapsed) {
      const months = [1, 2, 3, 6, 12, 24, 60, 120].find((count) => count * 30 * day >= rough) || 240, first = new Date(low);
      for (let m = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months; ; m += months) {
        const value = Date.UTC(Math.floor(m / 12), m % 12);
        if (value > high) return marks;
        if (value >= low) add(value, m % 12 ? MONTHS[m % 12] : String(Math.floor(m / 12)));
      }
    }
    const step = [1e-3, 1, 10, 100, 1e3, 5e3, 15e3, 6e4, 3e5, 9e5, 36e5, 108e5, 216e5, day, 2 * day, 7 * day, 14 * day, 28 * day].find((s) => s >= rough) || 365 * day;
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      const date = new Date(v), iso = date.toISOString(), days = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
      if (this.elapsed) add(v, elapsedText(v));
      else add(v, step >= day || v % day === 0 ? days : step >= 6e4 ? iso.slice(11, 16) : step >= 1e3 ? iso.slice(11, 19) : iso.slice(17, 23));
    }
    return marks;
  }
}
// Milliseconds since the start of a recording as seconds, mm:ss or h:mm:ss.
function elapsedText(ms) {
  if (ms < 0) return `-${elapsedText(-ms)}`;
  const iso = new Date(ms % 36e5).toISOString(), rest = iso.slice(20, 23).replace(/0+$/, ""), hours = Math.floor(ms / 36e5);
  return (ms < 6e4 ? String(Math.floor(ms / 1e3)) : (hours ? `${hours}:` : "") + iso.slice(14, 19)) + (rest && `.${rest}`) + (ms < 6e4 ? " s" : "");
}
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
function niceStep(rough, least = 1) {
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, least)));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= rough);
}
// Round numbers from low to high, each with its text; all texts have the same number of digits.
function roundTicks(low, high, most) {
  if (!(high > low) || !Number.isFinite(high - low)) return Number.isFinite(low) ? [[low, general(low, 6)]] : [];
  const step = niceStep((high - low) / most, Number.MIN_VALUE), places = Math.max(0, -Math.floor(Math.log10(step) + 1e-9)), ticks = [];
  const plain = places <= 6 && Math.max(-low, high) < 1e7;
  for (let k = Math.ceil(low / step); k * step <= high; k++) ticks.push([k * step, plain ? fixed(k * step + 0, places).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ",") : general(k * step, 3)]);
  return ticks;
}
