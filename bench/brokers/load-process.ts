// Makes the load, in a process of its own so that it does not take the turn of what is measured; jobs come by message.
import type { LoadJob } from './load-job.ts';
import { runLoad } from './load-run.ts';

process.on('message', (job: LoadJob) => {
  runLoad(job).then(
    result => process.send?.({ result }),
    (error: unknown) => process.send?.({ failure: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
