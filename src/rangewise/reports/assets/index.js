"use strict";
// The page of many series: small multiples that sort and filter, and the view of a series, whose data is read only when it is opened.

const SORTS = { missed: (row, [, found]) => found - row.real, false: (row, [, , , wrong]) => -wrong };
const SHOWN = {
  all: () => true, missed: (row, [, found]) => found < row.real, false: (row, [, , , wrong]) => wrong > 0,
  good: (row, [, found, , wrong]) => found === row.real && !wrong,
};
class SeriesIndex {
  constructor({ index, shared }) {
    Object.assign(this, index, { shared, root: element("root"), view: null, scroll: 0 });
    this.index = [...this.root.childNodes];
    this.heading = document.title;
    this.cards = this.series.map((_, at) => element(`card-${at}`));
    this.inOneFile = Boolean(element("series-0"));
    this.fields = Object.fromEntries(["of", "sort", "only", "find"].map((id) => [id, element(id)]));
    for (const field of Object.values(this.fields)) on(field, field.id === "find" ? "input" : "change", () => {
      this.remember();
      this.arrange();
    });
    on(element("cards"), "keydown", (event) => this.step(event));
    const box = element("take-index"), csv = made("button", { type: "button", data: { take: "CSV" } }, "CSV"), link = made("button", { type: "button" }, "copy link");
    on(csv, "click", () => save(new Blob([this.rows().map((row) => row.map(csvField).join(",")).join("\n"), "\n"], { type: "text/csv" }), "series.csv"));
    on(link, "click", () => copyText(location.href));
    box.append(csv, link);
    sortable(document.querySelector("#board table"));
    copyNumbers();
    on(window, "hashchange", () => this.route());
    on(window, "keydown", (event) => event.key === "Escape" && this.view && !event.target.closest("input, select") && (location.hash = this.fragment || "all"));
    document.documentElement.classList.add("js");
    this.route();
  }
  get wanted() {
    return new URLSearchParams(location.hash.slice(1));
  }
  // The address is that of a series, or that of the index with its order and filter.
  async route() {
    const name = this.wanted.get("series"), at = name === null ? -1 : this.series.findIndex((row) => row.name === name);
    if (this.view && this.view.data.series === name) return;
    const turn = (this.turn = (this.turn || 0) + 1), came = this.view;
    if (came) came.leave();
    else if (this.opened === undefined) this.scroll = scrollY;
    for (const mark of ["ready", "swept"]) delete document.documentElement.dataset[mark];
    if (at < 0 || !this.inOneFile) return this.close(came ? this.series.findIndex((row) => row.name === came.data.series) : -1);
    const { content } = element("view");
    this.root.replaceChildren(content.cloneNode(true));
    this.opened = at;
    this.head(at);
    window.scrollTo(0, 0);
    leaving = new AbortController();
    // Only now is the text of this series parsed and its arrays unpacked.
    const data = { ...this.shared, ...JSON.parse(element(`series-${at}`).textContent) }, parts = await unpackedParts(data);
    if (turn !== this.turn) return;
    this.fill(data);
    window.page = this.view = new Page(data, parts);
    document.querySelector("h1").focus({ preventScroll: true });
  }
  close(from) {
    this.view = null;
    if (this.opened !== undefined) this.root.replaceChildren(...this.index);
    this.opened = undefined;
    document.title = this.heading;
    const { wanted, fields } = this;
    fields.of.value = wanted.get("of") || this.leader;
    if (!fields.of.value) fields.of.value = this.leader;
    for (const [key, first] of [["sort", "f"], ["only", "all"]]) {
      fields[key].value = wanted.get(key) || first;
      if (!fields[key].value) fields[key].value = first;
    }
    fields.find.value = wanted.get("find") || "";
    this.fragment = location.hash.slice(1);
    this.arrange();
    window.scrollTo(0, this.scroll);
    if (from >= 0 && this.cards[from].isConnected) this.cards[from].firstElementChild.focus();
    document.documentElement.dataset.ready = "1";
  }
  // What the page of a single series has as text.
  head(at) {
    const address = (k) => `#series=${encodeURIComponent(this.series[k].name)}`, order = this.order || this.series.map((_, k) => k), place = order.indexOf(at);
    element("to-index").href = `#${this.fragment || "all"}`;
    for (const [id, k] of [["to-previous", order[place - 1]], ["to-next", order[place + 1]]]) {
      if (k === undefined || place < 0) element(id).removeAttribute("href");
      else Object.assign(element(id), { href: address(k), title: this.series[k].name });
    }
    say("place", place < 0 ? "" : `${counted(place + 1)} of ${counted(order.length)}`);
    document.querySelector("h1").textContent = this.series[at].name;
    document.title = `${this.series[at].name} · ${this.heading}`;
  }
  fill(data) {
    say("subtitle", data.subtitle);
    element("notes").replaceChildren(...data.notes.map((note) => made("p", { className: "note" }, note)));
    if (element("contests")) element("contest-rows").replaceChildren(...data.contests.map((one, k) => {
      const cells = one.texts.map((text, d) => made("td", { data: { number: number(one.values[d]) } }, `${text} `, made("small", {}, `#${one.ranks[d]}`)));
      return made("tr", k ? {} : { id: "own-contest" }, made("th", { scope: "row", title: data.summaries[k] }, one.label), ...cells);
    }));
  }
  remember() {
    const { of, sort, only, find } = this.fields, parts = [];
    if (Number(of.value) !== this.leader) parts.push(["of", of.value]);
    if (sort.value !== "f") parts.push(["sort", sort.value]);
    if (only.value !== "all") parts.push(["only", only.value]);
    if (find.value) parts.push(["find", find.value]);
    this.fragment = parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
    try {
      history.replaceState(null, "", this.fragment ? `#${this.fragment}` : location.href.split("#")[0]);
    } catch {
      // a frame without its own address
    }
  }
  arrange() {
    const { series, cards, fields } = this, k = Number(fields.of.value), wanted = fields.find.value.trim().toLowerCase(), keys = series.map((row) => [row, row.counts[k]]);
    const chosen = series.map((_, at) => at).filter((at) => SHOWN[fields.only.value](...keys[at]) && series[at].name.toLowerCase().includes(wanted));
    const f = (at) => (series[at].last[k] ? Infinity : number(series[at].counts[k][0])), by = SORTS[fields.sort.value];
    const worst = (a, b) => (f(a) === f(b) ? 0 : f(a) - f(b));
    if (fields.sort.value === "name") chosen.sort((a, b) => series[a].name.localeCompare(series[b].name, "en", { numeric: true }));
    else if (by) chosen.sort((a, b) => by(...keys[a]) - by(...keys[b]) || worst(a, b));
    else if (fields.sort.value === "f") chosen.sort(worst);
    for (const at of chosen) {
      const [text, words] = series[at].texts[k], card = cards[at];
      card.querySelector(".f").textContent = text;
      card.querySelector(".words").textContent = words;
    }
    element("cards").replaceChildren(...chosen.map((at) => cards[at]));
    this.order = chosen;
    const { letter, name } = this.detectors[k];
    say("shown", `${counted(chosen.length)} of ${counted(series.length)} series; the numbers are those of ${letter} ${name}.`);
  }
  // Arrow keys go from card to card.
  step(event) {
    const at = [...element("cards").children].indexOf(event.target.closest("li")), by = { ArrowRight: 1, ArrowDown: this.across, ArrowLeft: -1, ArrowUp: -this.across, Home: -at, End: this.order.length - 1 - at }[event.key];
    const next = by === undefined || event.ctrlKey || event.metaKey || event.altKey ? null : element("cards").children[at + by];
    if (!next) return;
    event.preventDefault();
    next.firstElementChild.focus();
  }
  get across() {
    const [first, ...rest] = element("cards").children;
    return 1 + rest.filter((card) => card.offsetTop === first.offsetTop).length;
  }
  rows() {
    const head = ["series", "detector", "points", "real", this.f, "found", "alarms", "false"];
    return [head, ...this.series.flatMap(({ name, points, real, counts }) => counts.map(([f, ...rest], k) => [name, this.detectors[k].name, points === null ? "" : points, real, number(f), ...rest]))];
  }
}
