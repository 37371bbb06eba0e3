// graphile-worker with a no-op job: `graphile-worker.mjs DSN MODE JOBS` prints the seconds of asking and draining.

import { setTimeout as sleep } from "node:timers/promises";
import { Logger, makeWorkerUtils, run } from "graphile-worker";
import pg from "pg";

const MODES = {
  default: {},
  best: { concurrentJobs: 24, maxPoolSize: 26, localQueue: { size: 500 }, completeJobBatchDelay: 0 },
};
const ASKED_AT_ONCE = 1000;

const [connectionString, mode, count] = process.argv.slice(2);
const jobs = Number(count);
const logger = new Logger(() => () => {});
const preset = { worker: { connectionString, logger, ...MODES[mode] } };

const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
const start = performance.now();
for (let asked = 0; asked < jobs; asked += ASKED_AT_ONCE) {
  const size = Math.min(ASKED_AT_ONCE, jobs - asked);
  await utils.addJobs(Array.from({ length: size }, () => ({ identifier: "nothing", payload: {} })));
}
const asking = performance.now() - start;
await utils.release();

let first = 0;
let done = 0;
const ran = Promise.withResolvers();
const nothing = async () => {
  first ||= performance.now();
  if (++done === jobs) ran.resolve();
};
const client = new pg.Client({ connectionString });
await client.connect();
await client.query("vacuum analyze");
const runner = await run({ preset, taskList: { nothing }, noHandleSignals: true, parsedCronItems: [] });
await ran.promise;
// Ended jobs are deleted.
while ((await client.query("select from graphile_worker._private_jobs limit 1")).rowCount > 0) await sleep(5);
const end = performance.now();
await runner.stop();
await client.end();
console.log(JSON.stringify({ asking: asking / 1000, draining: (end - first) / 1000 }));
process.exit();
