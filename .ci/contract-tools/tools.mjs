// What the checks with Prism and Postman share: the programs that they start, and the requests that Postman's importer
// makes of the document.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import converter from "openapi-to-postmanv2";
import newman from "newman";

/** Imports the document as Postman does, and returns the collection. */
export function importDocument(file, options) {
  return new Promise((resolve, reject) => {
    converter.convertV2({ type: "file", data: file }, options, (error, result) => {
      if (error || !result.result) {
        reject(new Error(`Postman's importer refuses the document: ${error?.message ?? result.reason}`));
      } else {
        resolve(result.output[0].data);
      }
    });
  });
}

/** Lists the requests of a collection in their order, without their folders. */
export function requests(collection) {
  const found = [];
  const list = (items) => items.forEach((item) => (item.item ? list(item.item) : found.push(item)));
  list(collection.item);
  return found;
}

/** Names the operation of a request, such as `GET /accounts/:accountId/v1`. */
export function nameOf(item) {
  return `${item.request.method} /${item.request.url.path.join("/")}`;
}

/**
 * Sends requests one after the other, each with the settings of its collection, and returns what came of them:
 * in their order, with `item`, `status`, `violations` (what Prism found) and `body`.
 */
export function send(collection, items, variables) {
  const values = Object.entries(variables).map(([key, value]) => ({ key, value, enabled: true }));
  const options = {
    collection: { ...collection, item: items },
    environment: { values },
    timeoutRequest: 60_000,
  };
  return new Promise((resolve, reject) => {
    newman.run(options, (error, summary) => {
      if (error || summary.run.error) {
        reject(error ?? summary.run.error);
        return;
      }
      resolve(
        summary.run.executions.map(({ requestError, response }, index) => ({
          item: items[index],
          status: response?.code,
          violations: violationsOf(response),
          body: response?.stream.toString() ?? String(requestError),
        })),
      );
    });
  });
}

function violationsOf(response) {
  const header = response?.headers.get("sl-violations");
  return header ? JSON.parse(header).map(({ location, message }) => `${message} (${location.join(".")})`) : [];
}

/** Runs Prism on a free port, calls `use` with its address, and stops it. */
export async function withPrism(args, use) {
  const prism = spawn("node_modules/.bin/prism", [...args, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => prism.kill());
  // A signal would end this process without the event.
  ["SIGHUP", "SIGINT", "SIGTERM"].forEach((signal) => process.once(signal, () => process.exit(1)));
  try {
    await use(await addressOf(prism));
  } finally {
    prism.kill();
  }
}

function addressOf(prism) {
  return new Promise((resolve, reject) => {
    let output = "";
    const fail = (reason) => reject(new Error(`Prism ${reason}:\n${output}`));
    const timer = setTimeout(() => fail("is not up after two minutes"), 120_000);
    // The output is read to its end, since a full pipe would stop Prism.
    prism.stdout.on("data", (chunk) => {
      output = (output + chunk).slice(-10_000);
      const address = /Prism is listening on (http:\S+)/.exec(output)?.[1];
      if (address) {
        clearTimeout(timer);
        resolve(address);
      }
    });
    prism.on("exit", () => {
      clearTimeout(timer);
      fail("ended");
    });
  });
}

/** Returns why a result is none of a request that is the document's example. */
export function succeeds({ status }) {
  return status >= 200 && status < 300 ? [] : ["the request is the document's example, so it should succeed"];
}

/** Collects failed requests, and prints them together. */
export class Report {
  #failed = 0;
  #counts = new Map();

  /** Counts a request, and prints it if there are reasons to reject it. */
  add(kind, { item, status, body }, reasons) {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (reasons.length > 0) {
      this.#failed++;
      console.log(`FAIL  ${kind}: ${nameOf(item)} gets ${status}`);
      reasons.forEach((reason) => console.log(`      ${reason}`));
      console.log(`      body: ${body.slice(0, 400)}`);
    }
  }

  /** Prints how many requests of each kind there were, and makes the program fail if one of them failed. */
  end(name) {
    const counts = [...this.#counts].map(([kind, count]) => `${count} ${kind}`).join(", ");
    if (this.#failed > 0) {
      console.log(`FAIL  ${name}: ${this.#failed} of ${counts} failed`);
      process.exitCode = 1;
    } else {
      console.log(`ok    ${name}: ${counts}`);
    }
  }
}

export function required(name) {
  const value = process.env[name];
  assert.ok(value, `${name} is not set; run this as: payctl serve --seed 1 -- .ci/contract-tools/run.sh`);
  return value;
}
