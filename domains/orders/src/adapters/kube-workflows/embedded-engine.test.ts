import { silentLogger, systemClock } from '@chandlery/platform';
import { tempFolder } from '@chandlery/testing';
import { startTestWorkflows } from '../../test-workflows.ts';
import { workflowEngineContract } from '../../workflow-engine-contract.ts';
import { EmbeddedEngine } from './embedded-engine.ts';

workflowEngineContract('the embedded engine', async () => {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempFolder());
  const { client: platform, readLog } = stack.use(await startTestWorkflows());
  const engine = new EmbeddedEngine({ platform, readContainerLog: readLog, clock: systemClock, logger: silentLogger });
  const all = stack.move();
  return { engine, folder: folder.path, [Symbol.asyncDispose]: () => all.disposeAsync() };
});
