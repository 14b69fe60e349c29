// Runs the WebAssembly module on the cases of a JSON file and prints the bits of every number: node run_wasm.mjs MODULE CASES.
import { readFileSync } from "node:fs";

const [module, cases] = process.argv.slice(2);
const nothing = new Proxy({}, { get: () => () => 0 });  // imports of WASI, which score and curve never call
const { instance } = await WebAssembly.instantiate(readFileSync(module), { wasi_snapshot_preview1: nothing, env: nothing });
const { memory, allocate, release, score, curve, _initialize } = instance.exports;
if (_initialize) _initialize();

function ranges(pairs) {
    const place = allocate(16 * pairs.length + 16);
    new BigInt64Array(memory.buffer, place, 2 * pairs.length).set(pairs.flat().map(BigInt));
    return place;
}
function doubles(count, values = []) {
    const place = allocate(8 * count + 8);
    new Float64Array(memory.buffer, place, values.length).set(values);
    return place;
}
const bits = (place, count) => Array.from(new BigUint64Array(memory.buffer, place, count), (word) => word.toString(16).padStart(16, "0"));

const results = JSON.parse(readFileSync(cases, "utf8")).map(({ real, predicted, scores, model }) => {
    const places = [ranges(real)];
    let result;
    if (predicted) {
        places.push(ranges(predicted), doubles(2));
        score(places[0], real.length, places[1], predicted.length, ...model, places[2]);
        result = [bits(places[2], 2)];
    } else {
        for (let array = 0; array < 4; ++array) places.push(doubles(scores.length, array ? [] : scores));
        const count = curve(places[0], real.length, places[1], scores.length, ...model, ...places.slice(2));
        result = places.slice(2).map((place) => bits(place, count));
    }
    places.forEach((place) => release(place));
    return result;
});
console.log(JSON.stringify(results));
