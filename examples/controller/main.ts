// Runs the controller against the cluster of KUBECONFIG until it is stopped.
import { once } from 'node:events';
import { createClient, loadKubeconfig } from '@chandlery/client';
import { SharedInformers } from '@chandlery/runtime';
import { startGreetingController } from './greeting-controller.ts';

await using client = createClient(loadKubeconfig(process.env['KUBECONFIG'] ?? ''));
await using informers = new SharedInformers();
await using _controller = startGreetingController(client, informers);
console.log('greeting; stop me with Ctrl-C');
// Keeps the process alive while a connection is being opened again.
const alive = setInterval(() => undefined, 60_000);
await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
clearInterval(alive);
