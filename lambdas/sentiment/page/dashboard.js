// The dashboard: what is shown follows the address, and the API follows what is shown.

import { Api, Problem, passing } from "./api.js";
import { renderDistribution, renderTags, renderTrend } from "./charts.js";
import { byId, say } from "./dom.js";
import { offerFiles } from "./files.js";
import * as choices from "./filters.js";
import { itemCells } from "./items.js";
import { Live, announce } from "./live.js";
import { extended, merge } from "./merge.js";
import { News } from "./news.js";
import { Refresh } from "./refresh.js";
import { Rows } from "./rows.js";
import { Session, SignedOut } from "./sign_in.js";
import { askToSignIn } from "./sign_in_form.js";
import { clock, duration } from "./time.js";

const PAGE = 20;
const TICK_MS = 1000;
const NOTHING = { items: [], cursor: null };

class Dashboard {
  #session;
  #api;
  #live;
  #refresh;
  #news;
  #items = new Rows(byId("items"), itemCells);
  #shown = choices.parse(location.hash);
  #list = NOTHING;
  #loaded = false;
  #summary = null;

  constructor(config) {
    this.#session = new Session(config.signIn);
    this.#api = new Api(this.#session);
    this.#live = new Live(config.refreshSeconds);
    this.#refresh = new Refresh(
      (signal) => this.#ask(signal),
      (error) => this.#failed(error),
      config.refreshSeconds,
    );
    this.#news = new News(this.#api, {
      arrived: (count) => this.#live.arrived(count, "financial news item"),
      signedOut: () => this.#ended(),
    });
    this.#listen();
  }

  async open(reason = "") {
    const asked = !this.#session.open;
    if (asked) {
      byId("dashboard").hidden = true;
      byId("sign-out").hidden = true;
      this.#live.reset();
      await askToSignIn(this.#session, reason);
      announce("You are signed in.");
    }
    byId("dashboard").hidden = false;
    byId("sign-out").hidden = false;
    if (asked) begin();
    this.#render();
    this.#refresh.start();
    this.#news.start(this.#shown.filters.sentiment);
  }

  async #ask(signal) {
    const { filters, hours } = this.#shown;
    // Each is shown as soon as it is there, whatever becomes of the other.
    const asked = [
      this.#api
        .get("items", { limit: PAGE, ...filters }, signal)
        .then((page) => this.#gotItems(page, signal)),
      this.#api
        .get("summary", { hours, source_type: filters.source_type }, signal)
        .then((summary) => this.#gotSummary(summary, signal)),
    ];
    const ended = await Promise.allSettled(asked);
    const failed = ended.find(({ status }) => status === "rejected");
    if (failed) throw failed.reason;
    if (signal.aborted) return;
    byId("trouble").hidden = true;
    this.#live.answered(Date.now());
  }

  #gotItems(page, signal) {
    if (signal.aborted) return;
    const { reading } = this.#items;
    const byScore = choices.byScore(this.#shown.filters);
    const { arrived, ...list } = merge(this.#list, page, { byScore, reading });
    if (this.#loaded) this.#tellOf(arrived);
    this.#list = list;
    this.#loaded = true;
    this.#renderItems();
  }

  #gotSummary(summary, signal) {
    if (signal.aborted) return;
    this.#summary = summary;
    this.#renderSummary();
  }

  #tellOf(arrived) {
    if (!arrived) return;
    this.#live.arrived(arrived);
    const above = byId("items").getBoundingClientRect().top < 0;
    const button = byId("arrived");
    const before = button.hidden ? 0 : Number(button.dataset.count);
    button.dataset.count = before + arrived;
    button.textContent = `${before + arrived} new, show`;
    button.hidden = !above;
  }

  #failed(error) {
    if (error instanceof SignedOut) {
      this.#ended();
      return false;
    }
    const since = this.#live.last;
    const kept = since ? ` What you see is from ${clock(new Date(since))}.` : "";
    say(byId("trouble-title"), navigator.onLine ? "The last refresh failed." : "You are offline.");
    say(byId("trouble-text"), `${error.message}${kept}`);
    byId("trouble").hidden = false;
    this.#live.failed(Date.now());
    return passing(error);
  }

  #ended() {
    this.#refresh.stop();
    this.#news.stop();
    // Every call finds out by itself; one of them is enough.
    if (byId("dashboard").hidden) return;
    this.open("Your session has ended. Sign in again to go on.");
  }

  async #more() {
    const button = byId("more");
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    const { filters } = this.#shown;
    const { cursor, items } = this.#list;
    try {
      const parameters = { limit: PAGE, ...filters, cursor };
      const page = await this.#api.get("items", parameters, new AbortController().signal);
      // By now the filters may be others, or the list may have started over.
      if (filters !== this.#shown.filters || cursor !== this.#list.cursor) return;
      this.#list = extended(this.#list, page);
      this.#renderItems();
      announce(`${this.#list.items.length - items.length} more items`);
    } catch (error) {
      if (error instanceof Problem && error.concerns("cursor")) this.#startOver();
      else if (this.#failed(error) === false) this.#refresh.stop();
    } finally {
      button.removeAttribute("aria-busy");
    }
  }

  #startOver() {
    this.#list = NOTHING;
    this.#loaded = false;
    announce("The list starts over, because it was too old to go on.");
    this.#refresh.now();
  }

  #moved() {
    const before = this.#shown;
    this.#shown = choices.parse(location.hash);
    if (JSON.stringify(before) === JSON.stringify(this.#shown)) return;
    if (JSON.stringify(before.filters) !== JSON.stringify(this.#shown.filters)) {
      this.#list = NOTHING;
      this.#loaded = false;
      byId("arrived").hidden = true;
    }
    const onChip = byId("chips").contains(document.activeElement);
    this.#render();
    // The chip that was clicked is gone: its neighbour takes the focus over.
    if (onChip) (byId("chips").querySelector("button") ?? byId("source-type")).focus();
    if (!this.#session.open) return;
    this.#refresh.start();
    const { sentiment } = this.#shown.filters;
    if (sentiment !== before.filters.sentiment) this.#news.start(sentiment);
  }

  #render() {
    choices.render(this.#shown, new Date());
    const byScore = choices.byScore(this.#shown.filters);
    say(byId("order"), byScore ? "Highest score first, day by day" : "Newest first");
    byId("items").setAttribute("aria-busy", String(!this.#loaded));
    byId("empty").hidden = true;
    this.#renderSummary();
  }

  #renderSummary() {
    if (this.#summary === null) return;
    const { filters } = this.#shown;
    const { distribution, tags, hours, stale_seconds: stale } = this.#summary;
    renderDistribution(byId("distribution"), distribution, filters.sentiment);
    renderTrend(byId("trend"), hours);
    renderTags(byId("tags"), tags, filters.tag);
    byId("summary").setAttribute("aria-busy", "false");
    const note = stale ? `Answers come through a cache and can be ${duration(stale)} old.` : "";
    say(byId("staleness"), note);
  }

  #renderItems() {
    const { items, cursor } = this.#list;
    this.#items.show(items, this.#shown.filters.tag);
    this.#items.age(Date.now());
    byId("items").setAttribute("aria-busy", "false");
    byId("more").hidden = cursor === null;
    const filtered = Object.keys(this.#shown.filters).length > 0;
    byId("empty").hidden = items.length > 0;
    byId("clear").hidden = !filtered;
    say(byId("empty-title"), filtered ? "Nothing matches these filters" : "No items yet");
    const hint = filtered
      ? "Items that match appear here by themselves."
      : "The first one appears here by itself as soon as it is analysed.";
    say(byId("empty-text"), hint);
  }

  async #signOut() {
    this.#refresh.stop();
    this.#news.stop();
    const done = this.#session.signOut();
    this.#api.forget();
    this.#list = NOTHING;
    this.#loaded = false;
    this.#summary = null;
    this.#items.clear();
    for (const id of ["distribution", "trend", "tags"]) byId(id).replaceChildren();
    byId("trouble").hidden = true;
    this.open("You are signed out.");
    await done;
  }

  #clearFilters() {
    choices.go({ ...this.#shown, filters: {} });
    announce("The filters are cleared.");
  }

  #listen() {
    window.addEventListener("hashchange", () => this.#moved());
    window.addEventListener("offline", () => this.#live.show(Date.now()));
    document.addEventListener("click", (event) => this.#clicked(event));
    document.addEventListener("change", ({ target }) => this.#chose(target));
    document.addEventListener("keydown", (event) => this.#pressed(event));
    window.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    byId("more").addEventListener("click", () => this.#more());
    byId("retry").addEventListener("click", () => {
      this.#refresh.start();
      this.#news.retry();
    });
    byId("clear").addEventListener("click", () => {
      this.#clearFilters();
      byId("content").focus();
    });
    byId("sign-out").addEventListener("click", () => this.#signOut());
    offerFiles("items", () => this.#list.items);
    offerFiles("hours", () => this.#summary?.hours ?? []);
    offerFiles("news", () => this.#news.items);
    byId("arrived").addEventListener("click", () => {
      byId("content").scrollIntoView();
      byId("content").focus({ preventScroll: true });
    });
    setInterval(() => {
      if (document.hidden) return;
      this.#live.show(Date.now());
      this.#items.age(Date.now());
      this.#news.age(Date.now());
    }, TICK_MS);
  }

  #clicked(event) {
    const button = event.target.closest("[data-filter]");
    if (!button) return;
    const { filter, value } = button.dataset;
    choices.go(choices.changed(this.#shown, filter, value));
  }

  #chose(select) {
    const name = select.dataset?.choose;
    if (!name) return;
    const value = choices.chosen(select.value, Date.now());
    const { [name]: _, ...others } = this.#shown.filters;
    const cleared = name === "hours" ? this.#shown : { ...this.#shown, filters: others };
    choices.go(choices.changed(cleared, name, value));
  }

  #pressed(event) {
    // In a select the key closes its options.
    if (event.key !== "Escape" || event.target.matches?.("select")) return;
    const filtered = Object.keys(this.#shown.filters).length > 0;
    if (filtered && !byId("dashboard").hidden) this.#clearFilters();
  }

  #scrolled() {
    if (byId("items").getBoundingClientRect().top >= 0) byId("arrived").hidden = true;
  }
}

/** The top of the page, and the focus there. */
function begin() {
  byId("title").focus({ preventScroll: true });
  window.scrollTo(0, 0);
}

async function start() {
  byId("broken").hidden = true;
  try {
    const answer = await fetch("config.json");
    if (!answer.ok) throw new Error(`The settings were answered with status ${answer.status}.`);
    const config = await answer.json();
    byId("stage").textContent = config.stage;
    byId("stage").hidden = false;
    await new Dashboard(config).open();
  } catch (error) {
    byId("broken-reason").textContent = error.message;
    byId("broken").hidden = false;
  }
}

// A link to #content would overwrite the filters in the hash.
document.querySelector("[data-skip]").addEventListener("click", (event) => {
  event.preventDefault();
  const content = byId(byId("dashboard").hidden ? "username" : "content");
  content.scrollIntoView();
  content.focus();
});
byId("start-again").addEventListener("click", start);
start();
