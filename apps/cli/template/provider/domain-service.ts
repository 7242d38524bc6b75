// The domain service: greets the SampleItems of one control plane, which KUBECONFIG names.
import { once } from 'node:events';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { createController, SharedInformers, setCondition } from '@chandlery/runtime';
import { type SampleItem, sampleItems } from './kinds.ts';

const greeting = process.env['GREETING'] ?? 'Hello';
await using client = createClient(loadKubeconfig(process.env['KUBECONFIG'] ?? ''));
await using informers = new SharedInformers();
await using controller = createController<SampleItem, object>({
  name: 'sample-items',
  client,
  for: { ref: sampleItems.ref, informer: informers.informer<SampleItem>({ client, ref: sampleItems.ref }) },
  needs: {},
  steps: [
    (item, _needs, { now }) => {
      item.status = { ...item.status, greeting: `${greeting}, ${item.spec.name}!` };
      setCondition(item, { type: 'Ready', status: 'True', reason: 'Greeted' }, now);
      return 'continue';
    },
  ],
});
controller.start();
console.log('greeting');
// Keeps the process alive while a connection is being opened again.
const alive = setInterval(() => undefined, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(alive);
