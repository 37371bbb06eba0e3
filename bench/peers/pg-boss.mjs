// pg-boss with a no-op job: `pg-boss.mjs DSN MODE JOBS` prints the seconds of asking and draining.
//
// Both modes fetch and complete in a loop of their own: pg-boss's polling worker takes one batch every two seconds.

import { PgBoss } from "pg-boss";

const MODES = {
  default: { batchSize: 1, loops: 1 },
  best: { batchSize: 100, loops: 4 },
};
const ASKED_AT_ONCE = 1000;

const [connectionString, mode, count] = process.argv.slice(2);
const jobs = Number(count);
const { batchSize, loops } = MODES[mode];

const boss = new PgBoss({ connectionString, supervise: false, schedule: false });
await boss.start();
await boss.createQueue("nothing");
const start = performance.now();
for (let asked = 0; asked < jobs; asked += ASKED_AT_ONCE) {
  await boss.insert("nothing", Array.from({ length: Math.min(ASKED_AT_ONCE, jobs - asked) }, () => ({ data: {} })));
}
const asking = performance.now() - start;
await boss.getDb().executeSql("vacuum analyze");

let done = 0;
const drain = async () => {
  for (;;) {
    const batch = await boss.fetch("nothing", { batchSize });
    if (batch.length === 0) return;
    await boss.complete("nothing", batch.map((job) => job.id));
    done += batch.length;
  }
};
const first = performance.now();
await Promise.all(Array.from({ length: loops }, drain));
const end = performance.now();
await boss.stop({ graceful: false });
if (done !== jobs) throw new Error(`${done} jobs ran, not ${jobs}`);
console.log(JSON.stringify({ asking: asking / 1000, draining: (end - first) / 1000 }));
process.exit();
