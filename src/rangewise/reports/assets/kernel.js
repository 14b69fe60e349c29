"use strict";
// Twin of the C++ kernel (cpp/overlap.hpp, bias.hpp, sweep.hpp): the same numbers to the last bit. tests/reports/test_kernel.py compares them.
// A side is {starts, stops}: arrays of numbers, or of BigInts where positions or products would pass 2^53.

const BIASES = ["flat", "front", "back", "middle"];
const CARDINALITIES = ["one", "reciprocal", "consistent"];

// The operators are the same for numbers and BigInts; what differs is here.
const NUMBERS = { zero: 0, one: 1, half: (x) => Math.floor(x / 2) };
const BIG = { zero: 0n, one: 1n, half: (x) => x / 2n };
const LONGEST_NARROW = 2 ** 26; // L (L + 1) stays below 2^53

function prefixWeight(bias, k, length, { one, half }) {
  const triangle = (n) => half(n * (n + one));
  if (bias === "front") return k * (length + one) - triangle(k);
  if (bias === "back") return triangle(k);
  if (bias === "middle") {
    const middle = half(length);
    return k <= middle ? triangle(k) : triangle(middle) + triangle(length - middle) - triangle(length - k);
  }
  return k;
}

// A sum of rewards as a whole number of 2^-94, in four parts that doubles hold exactly.
class RewardSum {
  constructor() {
    this.ones = 0; // whole rewards
    this.high = 0; // units of 2^-32
    this.middle = 0; // units of 2^-63
    this.low = 0; // units of 2^-94
    this.big = 0n; // whole rewards beyond 2^53
    this.steps = 0;
  }
  add(reward, sign) {
    const units = reward * 4294967296, high = Math.floor(units);
    const rest = (units - high) * 2147483648, middle = Math.floor(rest);
    this.high += sign * high;
    this.middle += sign * middle;
    this.low += sign * Math.floor((rest - middle) * 2147483648);
    if (++this.steps === 1048576) this.carry(); // long before a part passes 2^53
  }
  addOnes(count) {
    if (typeof count === "bigint") this.big += count;
    else this.ones += count;
  }
  carry() {
    this.steps = 0;
    let over = Math.floor(this.low / 2147483648);
    this.low -= over * 2147483648;
    this.middle += over;
    over = Math.floor(this.middle / 2147483648);
    this.middle -= over * 2147483648;
    this.high += over;
    over = Math.floor(this.high / 4294967296);
    this.high -= over * 4294967296;
    this.ones += over;
  }
  // As RewardSum::mean: to within two units in the last place, as the curve has it.
  mean(count) {
    this.carry();
    const high = this.ones * 4294967296 + this.high, low = this.middle * 2147483648 + this.low;
    return (high * 2 ** -32 + low * 2 ** -94) / count;
  }
  whole() {
    this.carry();
    return ((((this.big + BigInt(this.ones)) << 32n) + BigInt(this.high)) << 62n) + (BigInt(this.middle) << 31n) + BigInt(this.low);
  }
}

// The quotient of two whole numbers, correctly rounded, as Python divides integers.
function quotient(number, by) {
  if (number === 0n) return 0;
  const bits = (x) => 4 * x.toString(16).length;
  const shift = Math.max(0, bits(by) - bits(number) + 66);
  const wide = number << BigInt(shift), whole = wide / by;
  // One bit says that something is left over: rounding needs no more.
  return Number(wide % by ? whole | 1n : whole) * 2 ** -shift;
}

const meanReward = (whole, ranges, zeroDivision) => (ranges ? quotient(whole, BigInt(ranges) << 94n) : zeroDivision);

function fScore(precision, recall, beta) {
  if (precision === 0 && recall === 0) return 0;
  if (Number.isNaN(precision) || Number.isNaN(recall)) return NaN;
  const weight = beta * beta;
  if (weight === Infinity) return precision ? recall : 0; // the limit of F
  const divisor = weight * precision + recall;
  return divisor ? ((1 + weight) * precision * recall) / divisor : 0;
}

// a * b without any rounding, as a sum of two numbers; see cpp/power.hpp.
function exactProduct(a, b) {
  const aShifted = 134217729 * a, aHigh = aShifted - (aShifted - a), aLow = a - aHigh;
  const bShifted = 134217729 * b, bHigh = bShifted - (bShifted - b), bLow = b - bHigh;
  const product = a * b;
  return [product, aHigh * bHigh - product + aHigh * bLow + aLow * bHigh + aLow * bLow];
}
function timesTwo([aHigh, aLow], [bHigh, bLow]) {
  const [product, rest] = exactProduct(aHigh, bHigh);
  const low = rest + (aHigh * bLow + aLow * bHigh), high = product + low;
  return [high, low - (high - product)];
}
// ((length - 1) / length)^exponent. Math.exp and Math.log1p would differ in the last bit from browser to browser.
function shrunk(length, exponent) {
  const inverse = 1 / length, [product, error] = exactProduct(inverse, length);
  const rest = (1 - product - error) / length, high = 1 - inverse;
  let base = [high, 1 - high - inverse - rest], power = [1, 0];
  for (; exponent > 0; exponent = Math.floor(exponent / 2)) {
    if (exponent % 2) power = timesTwo(power, base);
    base = timesTwo(base, base);
  }
  return power[0];
}
function factorOf(cardinality, overlaps, length) {
  if (overlaps < 2 || cardinality === "one") return 1;
  if (cardinality === "consistent") return shrunk(Number(length), overlaps - 1);
  return 1 / overlaps;
}
const rewardOf = (alpha, size, factor) => alpha + (1 - alpha) * factor * size;
const asPoints = (model, side) => model.as_points === side || model.as_points === "both";
const recallRule = (model) => ({ alpha: model.alpha, bias: model.recall_bias, cardinality: model.recall_cardinality });
const precisionRule = (model) => ({ alpha: 0, bias: model.precision_bias, cardinality: model.precision_cardinality });

// Every pair that overlaps, and every range when it is over: O(real + predicted).
function walk(real, predicted, onPair, closeReal, closePredicted) {
  const rs = real.starts, re = real.stops, ps = predicted.starts, pe = predicted.stops, nr = rs.length, np = ps.length;
  let i = 0, j = 0;
  while (i < nr && j < np) {
    const rStop = re[i], pStop = pe[j];
    const low = rs[i] > ps[j] ? rs[i] : ps[j], high = rStop < pStop ? rStop : pStop;
    if (low < high) onPair(i, j, low, high);
    if (rStop <= pStop) closeReal(i++);
    if (pStop <= rStop) closePredicted(j++);
  }
  for (; i < nr; i++) closeReal(i);
  for (; j < np; j++) closePredicted(j);
}

const isBig = (side) => typeof side.stops[0] === "bigint";
const widened = (side) => (isBig(side) ? side : { starts: Array.from(side.starts, BigInt), stops: Array.from(side.stops, BigInt) });
// Both sides as one kind of number: BigInts as soon as one range needs them.
function sameKind(real, predicted) {
  const wide = (side) => {
    if (isBig(side)) return true;
    for (let i = 0; i < side.starts.length; i++) if (side.stops[i] - side.starts[i] > LONGEST_NARROW) return true;
    return false;
  };
  return wide(real) || wide(predicted) ? [widened(real), widened(predicted), BIG] : [real, predicted, NUMBERS];
}

// Rewards of both sides as whole numbers of 2^-94, and how many ranges (or points) there are.
function tally(realSide, predictedSide, model) {
  const [real, predicted, kind] = sameKind(realSide, predictedSide);
  const realPoints = asPoints(model, "real"), predictedPoints = asPoints(model, "predicted");
  const side = (own, rule, points) => {
    const sum = new RewardSum();
    let overlaps = 0, covered = kind.zero;
    return {
      sum,
      add(i, low, high, pieces) {
        if (points) return sum.addOnes(high - low);
        const start = own.starts[i], length = own.stops[i] - start;
        overlaps += pieces;
        covered += prefixWeight(rule.bias, high - start, length, kind) - prefixWeight(rule.bias, low - start, length, kind);
      },
      close(i) {
        if (overlaps === 0) return;
        const length = own.stops[i] - own.starts[i];
        const size = Number(covered) / Number(prefixWeight(rule.bias, length, length, kind));
        sum.add(rewardOf(rule.alpha, size, factorOf(rule.cardinality, overlaps, length)), 1);
        overlaps = 0;
        covered = kind.zero;
      },
    };
  };
  const ours = side(real, recallRule(model), realPoints), theirs = side(predicted, precisionRule(model), predictedPoints);
  walk(real, predicted, (i, j, low, high) => {
    const common = Number(high - low);
    ours.add(i, low, high, predictedPoints ? common : 1);
    theirs.add(j, low, high, realPoints ? common : 1);
  }, ours.close, theirs.close);
  return {
    real: ours.sum.whole(), predicted: theirs.sum.whole(),
    realCount: countOf(real, realPoints), predictedCount: countOf(predicted, predictedPoints),
  };
}

function countOf(side, points) {
  return points ? pointsIn(side) : side.starts.length;
}

function pointsIn(side) {
  let count = isBig(side) ? 0n : 0;
  for (let i = 0; i < side.starts.length; i++) count += side.stops[i] - side.starts[i];
  return count;
}

function score(real, predicted, model) {
  const found = tally(real, predicted, model);
  const precision = meanReward(found.predicted, found.predictedCount, model.zero_division);
  const recall = meanReward(found.real, found.realCount, model.zero_division);
  return { precision, recall, f: fScore(precision, recall, model.beta) };
}

function spelledOut(side) {
  const total = Number(pointsIn(side)), starts = new Float64Array(total), stops = new Float64Array(total);
  for (let i = 0, k = 0; i < side.starts.length; i++)
    for (let at = Number(side.starts[i]); at < side.stops[i]; at++, k++) stops[k] = (starts[k] = at) + 1;
  return { starts, stops };
}

// A row a range of one side ("real" or "predicted"), as Score.real and Score.predicted have them.
function rows(realSide, predictedSide, model, which) {
  const isReal = which === "real", otherPoints = asPoints(model, isReal ? "predicted" : "real");
  const scored = (side, name) => (name === which && asPoints(model, name) ? spelledOut(side) : side);
  const [real, predicted, kind] = sameKind(scored(realSide, "real"), scored(predictedSide, "predicted"));
  const [own, other, rule] = isReal ? [real, predicted, recallRule(model)] : [predicted, real, precisionRule(model)];
  const found = [];
  let overlaps = 0, weight = kind.zero, covered = kind.zero, middles = 0, delay = 0;
  walk(own, other, (i, j, low, high) => {
    const start = own.starts[i], length = own.stops[i] - start;
    if (!overlaps) delay = Number(low - start);
    overlaps += otherPoints ? Number(high - low) : 1;
    weight += prefixWeight(rule.bias, high - start, length, kind) - prefixWeight(rule.bias, low - start, length, kind);
    covered += high - low;
    middles += Number(high - low) * (0.5 * Number(low - start + (high - start)));
  }, (i) => {
    const start = own.starts[i], stop = own.stops[i], length = stop - start;
    const size = overlaps ? Number(weight) / Number(prefixWeight(rule.bias, length, length, kind)) : 0;
    const factor = factorOf(rule.cardinality, overlaps, length);
    found.push({
      start, stop, overlaps, covered, size, factor, delay,
      reward: overlaps ? rewardOf(rule.alpha, size, factor) : 0,
      center: overlaps ? middles / Number(covered) / Number(length) : NaN,
    });
    overlaps = 0;
    weight = covered = kind.zero;
    middles = delay = 0;
  }, () => {});
  return found;
}

// The ranges of the points whose rank reaches `least`: labels of a threshold. Ranks count the distinct scores from the lowest, 0; an
// ignored point has rank -1.
function rangesAt(ranks, least) {
  const starts = [], stops = [], n = ranks.length;
  for (let i = 0; i < n; i++) {
    if (ranks[i] < least) continue;
    starts.push(i);
    do i++; while (i < n && ranks[i] >= least);
    stops.push(i);
  }
  return { starts: Float64Array.from(starts), stops: Float64Array.from(stops) };
}

// Points by rank, highest first; points of one rank in order of time. Ignored points are left out.
function pointsByRank(ranks, distinct) {
  const ends = new Uint32Array(distinct + 1), size = ranks.length;
  for (let i = 0; i < size; i++) if (ranks[i] >= 0) ends[distinct - ranks[i]]++;
  for (let k = 0; k < distinct; k++) ends[k + 1] += ends[k];
  const next = ends.slice(), order = new Uint32Array(ends[distinct]);
  for (let i = 0; i < size; i++) if (ranks[i] >= 0) order[next[distinct - 1 - ranks[i]]++] = i;
  return { order, ends, size };
}

// Precision and recall at every distinct score, highest first: points are switched on one at a time and each costs O(1).
// `advance(until)` works up to a time on the clock, so that a long sweep can be cut into slices.
class Sweep {
  constructor(real, sorted, model) {
    const n = sorted.size, ranges = real.starts.length;
    this.sorted = sorted;
    this.model = model;
    this.realPoints = asPoints(model, "real");
    this.predictedPoints = asPoints(model, "predicted");
    // One entry more before the first point and after the last, never on. positions and counts: of the anomalous points before each.
    this.positions = new Float64Array(n + 2);
    this.counts = new Int32Array(n + 2);
    this.range = new Int32Array(n + 2); // the real range around the point, or ~(number of ranges before it)
    this.end = new Int32Array(n + 2).fill(-1);
    this.reward = new Float64Array(n + 2);
    this.starts = real.starts;
    this.lengths = new Float64Array(ranges);
    this.pieces = new Float64Array(ranges);
    this.weights = new Float64Array(ranges);
    this.totals = new Float64Array(ranges);
    this.rewards = new Float64Array(ranges);
    let at = 0, positions = 0, count = 0;
    this.range[0] = ~0;
    for (let j = 0; j <= ranges; j++) {
      const start = j < ranges ? real.starts[j] : n + 1;
      for (; at < start; at++) {
        this.positions[at + 1] = positions;
        this.counts[at + 1] = count;
        this.range[at + 1] = ~j;
      }
      if (j === ranges) break;
      const length = (this.lengths[j] = real.stops[j] - start);
      this.totals[j] = prefixWeight(model.recall_bias, length, length, NUMBERS);
      for (; at < real.stops[j]; at++) {
        this.positions[at + 1] = positions;
        this.counts[at + 1] = count;
        this.range[at + 1] = j;
        positions += at;
        count++;
      }
    }
    this.realCount = this.realPoints ? count : ranges;
    this.realSum = new RewardSum();
    this.predictedSum = new RewardSum();
    this.predictedCount = 0;
    this.done = 0; // points that are on
    this.group = 0; // thresholds that are finished
    this.precision = new Float64Array(sorted.ends.length - 1);
    this.recall = new Float64Array(sorted.ends.length - 1);
  }
  advance(until) {
    const { order, ends } = this.sorted;
    while (this.group < this.precision.length) {
      const stop = ends[this.group + 1];
      while (this.done < stop) this.switchOn(order[this.done++] + 1);
      this.precision[this.group] = this.predictedSum.mean(this.predictedCount);
      this.recall[this.group] = this.realCount ? this.realSum.mean(this.realCount) : this.model.zero_division;
      if ((++this.group & 255) === 0 && until && performance.now() > until) return false;
    }
    return true;
  }
  // Points are shifted by one here: `t` is 1 for the first.
  switchOn(t) {
    const { end, reward, range } = this;
    const left = end[t - 1] !== -1, right = end[t + 1] !== -1;
    const begin = left ? end[t - 1] : t, last = right ? end[t + 1] : t;
    if (this.predictedPoints) {
      this.predictedCount++;
      if (range[t] >= 0) this.predictedSum.addOnes(1);
    } else {
      if (left && reward[t - 1]) this.predictedSum.add(reward[t - 1], -1);
      if (right && reward[t + 1]) this.predictedSum.add(reward[t + 1], -1);
      this.predictedCount += 1 - left - right;
    }
    end[t] = t;
    end[begin] = last;
    end[last] = begin;
    if (!this.predictedPoints) {
      const earned = this.runReward(begin, last);
      reward[begin] = reward[last] = earned;
      if (earned) this.predictedSum.add(earned, 1);
    }
    const j = range[t];
    if (j < 0) return;
    if (this.realPoints) return this.realSum.addOnes(1);
    const joined = (left && range[t - 1] === j) + (right && range[t + 1] === j);
    this.cover(j, t - 1, this.predictedPoints ? 1 : 1 - joined);
  }
  runReward(begin, last) {
    const { counts, positions, range, model } = this;
    const count = counts[last] + (range[last] >= 0) - counts[begin];
    if (count === 0) return 0;
    // Positions count from 1 at the run's first point, which is begin - 1 in the series.
    const upTo = (to) => positions[to] + (range[to] >= 0 ? to - 1 : 0) - positions[begin];
    const length = last - begin + 1, bias = model.precision_bias;
    let sum = count;
    if (bias !== "flat") {
      const all = upTo(last) - count * (begin - 2);
      if (bias === "back") sum = all;
      else if (bias === "front") sum = (length + 1) * count - all;
      else {
        const half = Math.floor(length / 2), to = begin + half - 1;
        const rising = half ? counts[to] + (range[to] >= 0) - counts[begin] : 0;
        const low = half ? upTo(to) - rising * (begin - 2) : 0;
        sum = low + (length + 1) * (count - rising) - (all - low);
      }
    }
    const started = (at) => (range[at] >= 0 ? range[at] + 1 : ~range[at]);
    const overlaps = this.realPoints ? count : started(last) - started(begin) + (range[begin] >= 0);
    return rewardOf(0, sum / prefixWeight(bias, length, length, NUMBERS), factorOf(model.precision_cardinality, overlaps, length));
  }
  cover(j, point, pieces) {
    const { model, rewards, lengths } = this, before = point - this.starts[j];
    if (rewards[j]) this.realSum.add(rewards[j], -1);
    this.pieces[j] += pieces;
    const weight = (k) => prefixWeight(model.recall_bias, k, lengths[j], NUMBERS);
    this.weights[j] += weight(before + 1) - weight(before);
    rewards[j] = rewardOf(model.alpha, this.weights[j] / this.totals[j], factorOf(model.recall_cardinality, this.pieces[j], lengths[j]));
    this.realSum.add(rewards[j], 1);
  }
}

// Random scores that predict exactly as many points: the rows that count with the smallest hashes. reports/entries.py draws the same.
// `ignored` are the ranges of rows that do not count.
function randomRanges(points, count, seed, ignored) {
  const salt = Math.imul(seed + 1, 0x85ebca6b), hashes = new Uint32Array(points), counts = new Uint8Array(points).fill(1);
  for (let k = 0; ignored && k < ignored.starts.length; k++) counts.fill(0, ignored.starts[k], ignored.stops[k]);
  let rows = 0;
  for (let i = 0; i < points; i++) {
    if (!counts[i]) continue;
    let hash = (Math.imul(i, 0x9e3779b1) + salt) | 0;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hashes[rows++] = hash ^ (hash >>> 16);
  }
  const starts = [], stops = [];
  if (!count) return { starts, stops };
  const last = hashes.slice(0, rows).sort()[count - 1];
  let ties = count;
  for (let k = 0; k < rows; k++) if (hashes[k] < last) ties--;
  let open = false, row = 0;
  for (let i = 0; i < points; i++) {
    const hash = counts[i] ? hashes[row++] : 4294967296, on = hash < last || (hash === last && ties-- > 0);
    if (on !== open) (on ? starts : stops).push(i);
    open = on;
  }
  if (open) stops.push(points);
  return { starts, stops };
}
const BASELINE_SEEDS = 20;
const BASELINE_POINTS = 4000000; // so many points are drawn at most
function baselineF(real, points, predicted, model, ignored) {
  const counted = points - (ignored ? Number(pointsIn(ignored)) : 0);
  const seeds = Math.max(1, Math.min(BASELINE_SEEDS, Math.floor(BASELINE_POINTS / Math.max(counted, 1))));
  let sum = 0;
  for (let seed = 0; seed < seeds; seed++) sum += score(real, randomRanges(points, predicted, seed, ignored), model).f;
  return sum / seeds;
}
