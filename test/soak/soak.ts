/**
 * Weeks of a companion's life in simulated time: `npm run soak -- --days 30`. Twelve chats a day in three languages, a
 * model that is down for six hours, slow for a day and sends invalid replies for an hour, and two killed processes.
 * Prints what it checked, and exits with 1 if a check fails.
 */
import { parseArgs } from 'node:util';
import { runSoak } from './run.ts';

const { values } = parseArgs({ options: { days: { type: 'string', default: '30' } } });
const report = await runSoak(Number(values.days), (line) => console.log(line));
for (const [name, value] of Object.entries(report.figures)) console.log(`${name}: ${value}`);
for (const problem of report.problems) console.error(`NOT AS IT MUST BE: ${problem}`);
if (report.problems.length > 0) process.exitCode = 1;
else console.log('Everything is as it must be.');
