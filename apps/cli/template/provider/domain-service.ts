// The domain service: greets the SampleItems of one control plane, which KUBECONFIG names.
import { createClient } from '@chandlery/client';
import { createController, SharedInformers, setCondition } from '@chandlery/runtime';
import { connectionFromEnvironment, untilStopped } from '@chandlery/sdk';
import { type SampleItem, sampleItems } from './kinds.ts';

const greeting = process.env['GREETING'] ?? 'Hello';
await using client = createClient(connectionFromEnvironment(process.env));
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
await untilStopped();
