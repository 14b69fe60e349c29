"use strict";
// The page's words and numbers as text: twins of model/explain.py, model/text.py and reports/verdict.py (tests/reports/test_words.py).

// Digits and exponent of a number at `digits` significant digits, ties to even as Python rounds them.
function rounded(value, digits) {
  // A tie is exact in binary, so it shows as a five and nothing behind it.
  const long = value.toExponential(Math.min(digits + 40, 100)), [mantissa, power] = long.split("e");
  const all = mantissa.replace(".", ""), kept = all.slice(0, digits), rest = all.slice(digits);
  const tie = /^50*$/.test(rest), up = tie ? Number(kept[digits - 1]) % 2 === 1 : rest[0] >= "5";
  const whole = (BigInt(kept) + (up ? 1n : 0n)).toString();
  return whole.length > digits ? { digits: whole.slice(0, digits), power: Number(power) + 1 } : { digits: whole, power: Number(power) };
}
const notFinite = (value) => (Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf");

// f"{value:.{places}f}"
function fixed(value, places) {
  if (!Number.isFinite(value)) return notFinite(value);
  const text = Math.abs(value).toFixed(places + 40), cut = text.length - 40;
  let kept = BigInt(text.slice(0, cut).replace(".", ""));
  const rest = text.slice(cut), tie = /^50*$/.test(rest);
  if (tie ? kept % 2n === 1n : rest[0] >= "5") kept += 1n;
  const all = kept.toString().padStart(places + 1, "0"), point = all.length - places;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return sign + (places ? `${all.slice(0, point)}.${all.slice(point)}` : all);
}

// f"{value:.{digits}g}"
function general(value, digits) {
  if (!Number.isFinite(value)) return notFinite(value);
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  const sign = value < 0 ? "-" : "", found = rounded(Math.abs(value), digits);
  const trimmed = found.digits.replace(/0+$/, "");
  return sign + placed(trimmed, found.power, found.power < -4 || found.power >= digits, false);
}
// Digits with their point, or with an exponent of two digits or more as Python writes it.
function placed(digits, power, exponent, pointZero) {
  if (exponent) {
    const size = String(Math.abs(power)).padStart(2, "0");
    return `${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ""}e${power < 0 ? "-" : "+"}${size}`;
  }
  if (power < 0) return `0.${"0".repeat(-power - 1)}${digits}`;
  if (digits.length <= power + 1) return digits + "0".repeat(power + 1 - digits.length) + (pointZero ? ".0" : "");
  return `${digits.slice(0, power + 1)}.${digits.slice(power + 1)}`;
}
// repr(float)
function repr(value) {
  if (!Number.isFinite(value)) return notFinite(value);
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  const [mantissa, exponent = "0"] = String(Math.abs(value)).split("e"), [whole, part = ""] = mantissa.split(".");
  const zeros = (whole + part).match(/^0*/)[0].length, power = Number(exponent) + whole.length - 1 - zeros;
  const digits = (whole + part).slice(zeros).replace(/0+$/, "");
  const text = placed(digits, power, power < -4 || power >= 16, true);
  return value < 0 ? `-${text}` : text;
}
// A long name keeps its beginning and its end, which distinguish similar names.
const shortened = (name, most) => (name.length <= most ? name : `${name.slice(0, Math.ceil((most - 1) / 2))}…${name.slice(-Math.floor((most - 1) / 2))}`);
const counted = (number) => String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ",");

// A length of time in nanoseconds in at most two units: instants.duration_text.
function durationText(length) {
  if (length < 6e10) {
    const [unit, size] = [["s", 1e9], ["ms", 1e6], ["us", 1e3]].find((one) => length >= 0.9995 * one[1]) || (length ? ["ns", 1] : ["s", 1e9]);
    const text = general(length / size, 3);
    return text === "60" && unit === "s" ? "1 min" : `${text} ${unit}`;
  }
  const even = (x) => (Math.round(x) - x === 0.5 && Math.round(x) % 2 ? Math.round(x) - 1 : Math.round(x)), seconds = even(length / 1e9);
  for (const [count, larger, size, smaller, limit] of [[seconds, "min", 60, "s", 60], [even(seconds / 60), "h", 60, "min", 24], [even(seconds / 3600), "d", 24, "h", Infinity]]) {
    const whole = Math.floor(count / size), rest = count % size;
    if (whole < limit) return rest ? `${whole} ${larger} ${rest} ${smaller}` : `${whole} ${larger}`;
  }
  return "";
}

// --- a model as a line and as a hash ---------------------------------------------------------------------------------------------
const DEFAULTS = {
  alpha: 0, beta: 1, recall_bias: "flat", precision_bias: "flat", recall_cardinality: "one", precision_cardinality: "one",
  as_points: null, zero_division: 0,
};
function modelText(model) {
  const shown = (value) => (typeof value === "number" ? repr(value) : `'${value}'`);
  const changed = Object.keys(DEFAULTS).filter((name) => model[name] !== DEFAULTS[name]);
  return `RangeModel(${changed.map((name) => `${name}=${shown(model[name])}`).join(", ")})`;
}
const modelHash = (model) => sha256(modelText(model)).slice(0, 8);

// crypto.subtle is missing in files opened from a disk, so here is our own (FIPS 180-4); the text is ASCII.
function sha256(text) {
  const primes = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((p) => n % p)) primes.push(n);
  const fraction = (x) => ((x - Math.floor(x)) * 4294967296) | 0;
  const k = primes.map((p) => fraction(Math.cbrt(p))), h = primes.slice(0, 8).map((p) => fraction(Math.sqrt(p)));
  const length = text.length, blocks = ((length + 8) >> 6) + 1, words = new Int32Array(blocks * 16), w = new Int32Array(64);
  for (let i = 0; i < length; i++) words[i >> 2] |= text.charCodeAt(i) << (24 - (i % 4) * 8);
  words[length >> 2] |= 128 << (24 - (length % 4) * 8);
  words[words.length - 1] = length * 8;
  const turn = (x, n) => (x >>> n) | (x << (32 - n));
  for (let block = 0; block < words.length; block += 16) {
    let [a, b, c, d, e, f, g, last] = h;
    for (let i = 0; i < 64; i++) {
      if (i < 16) w[i] = words[block + i];
      else {
        const x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)) + w[i - 7] + (turn(y, 17) ^ turn(y, 19) ^ (y >>> 10));
      }
      const one = (last + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0;
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [last, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, last].forEach((value, i) => (h[i] = (h[i] + value) | 0));
  }
  return h.map((value) => (value >>> 0).toString(16).padStart(8, "0")).join("");
}

// --- a range in words: explain.row_text ------------------------------------------------------------------------------------------
// What comes after the range's name and a colon. Where positions are times, it says how late a real range was found.
function rowWords(model, isReal, row, timed) {
  if (!row.overlaps) return isReal ? "missed: 0" : "false alarm, no real range there: 0";
  const bias = isReal ? model.recall_bias : model.precision_bias;
  const found = `${shareWords(row, bias === "flat")} of it ${isReal ? "found" : "is real"}${bias === "flat" ? "" : ", weighted by position"}`;
  const pieces = row.overlaps > 1 ? `in ${row.overlaps} ${isReal ? "pieces" : "real ranges"}` : "";
  return `${[found, timed && isReal && row.delay > 0 ? `${durationText(row.delay)} late` : placeWords(row, isReal), pieces].filter(Boolean).join(", ")}: ${sumWords(model, isReal, row)}`;
}
function placeWords(row, isReal) {
  const share = Number(row.covered) / Number(row.stop - row.start);
  if (share >= 0.9) return "";
  const place = (row.center - share / 2) / (1 - share), third = place < 1 / 3 ? "front" : place > 2 / 3 ? "back" : "middle";
  if (row.overlaps > 1) return third === "middle" ? "" : `mostly its ${third} part`;
  return isReal ? { front: "early", back: "late", middle: "in the middle" }[third] : `its ${third} part`;
}
function sumWords(model, isReal, row) {
  const alpha = isReal ? model.alpha : 0, factors = [rewardText(row.size)];
  const cardinality = isReal ? model.recall_cardinality : model.precision_cardinality;
  if (row.factor !== 1) factors.push(cardinality === "reciprocal" ? `1/${row.overlaps}` : general(row.factor, 3));
  const terms = alpha ? `${weightText(alpha)} + ${[weightText(1 - alpha), ...factors].join(" x ")}` : factors.join(" x ");
  const reward = rewardText(row.reward);
  return terms === reward ? terms : `${terms} = ${reward}`;
}
function rewardText(value) {
  const text = fixed(value, 2);
  if (text === "1.00" && value < 1) return weightText(value, "over 0.9999");
  return text === "0.00" && value > 0 ? general(value, 4) : text;
}
function weightText(value, nearlyOne) {
  const text = general(value, 4);
  return text === "1" && value < 1 ? nearlyOne || repr(value) : text;
}
function shareWords(row, isFlat) {
  if (row.covered === row.stop - row.start || (row.size === 1 && !isFlat)) return "all";
  const percent = 100 * row.size;
  if (percent === 0) return "none";
  if (percent < 1) return "under 1 %";
  return percent > 99 ? "over 99 %" : `${fixed(percent, 0)} %`;
}

// --- the verdict: reports/verdict.py ----------------------------------------------------------------------------------------------
function threeDigits(value) {
  if (Number.isNaN(value)) return "undefined";
  const text = fixed(value, 3);
  if (text === "0.000" && value > 0) return general(value, 1);
  return text === "1.000" && value < 1 ? "over 0.999" : text;
}
function percentText(share) {
  const percent = 100 * share;
  if (percent > 0 && percent < 0.1) return "under 0.1 %";
  if (percent > 99.9 && percent < 100) return "over 99.9 %";
  return `${fixed(percent, percent === 0 || percent === 100 || (percent >= 10 && percent <= 90) ? 0 : 1)} %`;
}
const isHighAlertRate = (alertRate, realShare) => alertRate > Math.max(0.5, 2 * realShare) || alertRate > Math.max(0.2, 5 * realShare);
const several = (number, noun) => `${counted(number)} ${noun}${number === 1 ? "" : "s"}`;
const listed = (names) => (names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names[names.length - 1]}`);
const worth = (detector) => (Number.isNaN(detector.f) ? -1 : detector.f);

const ordered = (facts) => facts.detectors.slice().sort((a, b) => worth(b) - worth(a));
const quietest = (facts) => facts.detectors.slice().sort((a, b) => a.alarms - b.alarms)[0];
const verdict = (facts) => [headline(facts).join(""), ...details(facts)];
// Every second part is a name.
function headline(facts) {
  const order = ordered(facts), quiet = quietest(facts);
  if (!facts.real) return ["There are no real ranges, so recall is meaningless and every alarm is false. ", quiet.name, order.length > 1 ? ` raises the fewest, ${counted(quiet.alarms)}.` : ` raises ${counted(quiet.alarms)}.`];
  const warning = warningWords(order[0], facts), [start, ...rest] = headWords(`F${general(facts.beta, 6)}`, order);
  return [warning ? `${warning} ${start}` : start, ...rest];
}
function tiles(facts) {
  if (!facts.real) return [["alarms, all false", counted(quietest(facts).alarms)], ["alert rate", percentText(quietest(facts).alert_rate)]];
  const leader = ordered(facts)[0], label = `F${general(facts.beta, 6)}`, { found, alarms, baseline } = leader, { real, first } = facts;
  const shown = [[label, threeDigits(leader.f)], ["real ranges found", `${counted(found)} of ${counted(real)}`], ["false alarms", `${counted(leader.false)} of ${counted(alarms)}`], ["alert rate", percentText(leader.alert_rate)]];
  if (baseline !== null) shown.push([`${label} of random predictions`, threeDigits(baseline)]);
  if (first) shown.push(["settings where it leads", percentText(first[leader.name])]);
  return shown;
}
function details(facts) {
  if (!facts.real) return [];
  const order = ordered(facts), leader = order[0];
  return [randomWords(order), findWords(leader, facts.real), hintWords(leader, facts), stableWords(leader, facts.first)].filter(Boolean);
}
function headWords(label, order) {
  const [leader, next] = order, value = threeDigits(leader.f);
  if (!next) return ["", leader.name, ` scores ${label} ${value}.`];
  if (!(leader.f > 0)) return [`No detector scores above 0: ${label} is ${value} for all ${order.length}.`];
  const gap = worth(leader) - worth(next), other = threeDigits(next.f);
  if (gap < 0.01) return ["", leader.name, " and ", next.name, ` are level: ${label} ${value} and ${other}.`];
  return ["", leader.name, ` scores best: ${label} ${value}, ${gap < 0.05 ? "just" : "well"} ahead of `, next.name, ` (${other}).`];
}
function randomWords(order) {
  const known = order.filter((detector) => detector.baseline !== null && !Number.isNaN(detector.baseline));
  if (!known.length) return "";
  const weak = known.filter((detector) => !(detector.f > detector.baseline));
  // The leader's alert rate, as in the tile.
  if (!weak.length) return `Random predictions with the same alert rate reach ${threeDigits(known[0].baseline)}.`;
  const most = threeDigits(Math.max(...weak.map((detector) => detector.baseline)));
  if (weak.length === order.length && order.length > 1) return `None of them beats random predictions with the same alert rate (${most}).`;
  const names = listed(weak.map((detector) => detector.name));
  return `${names} ${weak.length === 1 ? "does" : "do"} no better than random predictions with the same alert rate (${most}).`;
}
function findWords(leader, real) {
  const { name, found, alarms, missed } = leader, wrong = leader.false;
  if (!alarms) return `${name} raises no alarm.`;
  const errors = wrong === 0 ? "none false" : wrong === alarms ? (alarms === 1 ? "and it is false" : "all false") : `${counted(wrong)} of them false`;
  const text = `${name} finds ${counted(found)} of ${several(real, "real range")} with ${several(alarms, "alarm")}, ${errors}`;
  if (!missed.length) return `${text}.`;
  const more = real - found - missed.length;
  return `${text}; it misses ${more > 0 ? `${missed.join(", ")} and ${counted(more)} more` : listed(missed)}.`;
}
function warningWords(leader, facts) {
  if (!isHighAlertRate(leader.alert_rate, facts.real_share)) return "";
  return `Careful: ${leader.name} has an alert rate of ${percentText(leader.alert_rate)}, where ${percentText(facts.real_share)} of the points are anomalous, so its score says little. Raise its threshold.`;
}
function hintWords(leader, facts) {
  if (leader.covered < 0.1 && leader.found * 2 >= facts.real && facts.alpha < 1)
    return `It covers only ${percentText(leader.covered)} of the anomalous points. If finding a range at all is enough, give that more weight with alpha.`;
  if (leader.pieces > 2 && !facts.reciprocal)
    return `It finds a range in ${fixed(leader.pieces, 1)} pieces on average. If each piece is a separate alarm, use the reciprocal cardinality.`;
  return "";
}
// `first`: the share of the map in which each detector leads; null for one detector.
function stableWords(leader, first) {
  if (!first) return "";
  const own = first[leader.name], rivals = Object.keys(first).filter((name) => name !== leader.name && first[name] > 0);
  if (!rivals.length) return "It stays first in every setting of the map below.";
  rivals.sort((a, b) => first[b] - first[a]);
  const shares = rivals.slice(0, 2).map((name) => `${name} in ${percentText(first[name])}`);
  return `In the map of settings below it leads in ${percentText(own)}, ${listed(shares)}.`;
}

// --- how other scoring models rank: reports/contest.py -----------------------------------------------------------------------------
// Whether two detectors are in reversed order.
const reverses = (ranks, first) => ranks.some((rank, k) => ranks.some((other, m) => (rank - other) * (first[k] - first[m]) < 0));
function contestWords([first, ...others]) {
  if (!others.length) return "";
  const turned = others.filter((ranks) => reverses(ranks, first)).length;
  const ties = others.filter((ranks) => ranks.some((rank, k) => rank !== first[k]) && !reverses(ranks, first)).length;
  if (!turned && !ties) return others.length === 1 ? "The other scoring model gives the same order." : `All ${others.length} other scoring models give the same order.`;
  const all = `${others.length} other scoring model${others.length === 1 ? "" : "s"}`, differ = ties === 1 ? "differs" : "differ";
  if (!turned) return `No other scoring model ranks two detectors the other way round; ${ties} of ${all} ${differ} in ties.`;
  const text = `${turned} of ${all} ${turned === 1 ? "ranks" : "rank"} two detectors the other way round`;
  return ties ? `${text}; ${ties} more ${differ} only in ties.` : `${text}.`;
}
// 1 is best; ties share the better rank, and nan is last.
const ranksOf = (values) => values.map((own) => 1 + values.filter((other) => worth({ f: other }) > worth({ f: own })).length);

// --- who leads where: recall is linear in alpha, so two detectors change places at the roots of a quadratic ----------------------------
const BETAS = [0.5, 1, 2];
const MAP_CARDINALITIES = ["one", "reciprocal"]; // the paper's, as rw.ranking asks for
// For one recall bias and cardinality: precision, recall at alpha 0 and at alpha 1 of each detector.
function ends(real, sides, model, bias, cardinality) {
  const base = { ...model, as_points: null, recall_bias: bias, recall_cardinality: cardinality, precision_cardinality: cardinality, beta: 1 };
  return sides.map((side) => {
    const low = score(real, side, { ...base, alpha: 0 });
    return { precision: low.precision, low: low.recall, high: score(real, side, { ...base, alpha: 1 }).recall };
  });
}
const recallAt = (end, alpha) => end.low + alpha * (end.high - end.low);
const EQUAL = 1e-12; // scores that differ by less differ by rounding only
// Stretches of alpha and who leads there: [{from, to, leaders}].
function stretches(found, beta) {
  const weight = beta * beta, borders = [0, 1];
  for (let a = 0; a < found.length; a++)
    for (let b = a + 1; b < found.length; b++) {
      // beta^2 Pa Pb (Ra - Rb) + Ra Rb (Pa - Pb) = 0, each R linear in alpha.
      const one = found[a], two = found[b], both = weight * one.precision * two.precision, gap = one.precision - two.precision;
      const rise = one.high - one.low, other = two.high - two.low;
      const square = gap * rise * other, line = both * (rise - other) + gap * (one.low * other + two.low * rise);
      borders.push(...roots(square, line, both * (one.low - two.low) + gap * one.low * two.low).filter((alpha) => alpha > 0 && alpha < 1));
    }
  borders.sort((a, b) => a - b);
  const parts = [];
  for (let i = 0; i + 1 < borders.length; i++) {
    const from = borders[i], to = borders[i + 1];
    if (to - from < 1e-9) continue;
    const middle = (from + to) / 2, fs = found.map((end) => fScore(end.precision, recallAt(end, middle), beta));
    let leader = 0;
    for (let k = 1; k < fs.length; k++) if (fs[k] > fs[leader]) leader = k;
    const leaders = fs.flatMap((f, k) => (fs[leader] - f <= EQUAL * fs[leader] ? [k] : [])), last = parts[parts.length - 1];
    if (last && last.leaders.join() === leaders.join()) last.to = to;
    else parts.push({ from: parts.length ? from : 0, to, leaders });
  }
  return parts;
}
function roots(square, line, constant) {
  if (square === 0) return line === 0 ? [] : [-constant / line];
  const inside = line * line - 4 * square * constant;
  if (inside <= 0) return []; // a double root is not a crossing
  const q = -0.5 * (line + (line < 0 ? -1 : 1) * Math.sqrt(inside));
  return q === 0 ? [0] : [q / square, constant / q];
}
function settingsMap(real, sides, model) {
  const strips = [];
  for (const cardinality of MAP_CARDINALITIES)
    for (const bias of BIASES) {
      const found = ends(real, sides, model, bias, cardinality);
      for (const beta of BETAS) strips.push({ bias, cardinality, beta, parts: stretches(found, beta) });
    }
  return strips;
}
// The share of the map in which each leads.
function firstShares(strips, names) {
  const first = Object.fromEntries(names.map((name) => [name, 0]));
  for (const { parts } of strips)
    for (const { from, to, leaders } of parts) for (const k of leaders) first[names[k]] += (to - from) / leaders.length / strips.length;
  for (const name of names) first[name] = Math.round(first[name] * 1e9) / 1e9; // so that parts of the whole add up to 1
  return first;
}

// --- the line that reproduces the numbers -------------------------------------------------------------------------------------------------------
// Pasted into a terminal, a control character would act before any quotes are read: it is spelt out, as bash, zsh and ksh read it.
const control = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const spelt = (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
const quoted = (text) => {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  if (text.search(control) < 0) return `'${text.replaceAll("'", `'"'"'`)}'`;
  const escaped = text.replace(/[\\']/g, "\\$&").replace(control, spelt);
  return `$'${escaped}'`;
};
