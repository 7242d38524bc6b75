// Publishes the hosts of an inventory as endpoints of a mesh, with nothing but kubectl: see README.md.
// node publish-inventory.mjs inventory.json [SECONDS]
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const [path, seconds = '30'] = process.argv.slice(2);
const stateOf = { up: 'Running', draining: 'Draining', down: 'Stopped' };

/** Applies objects by kubectl, with the kubeconfig and namespace of its environment. */
function apply(list) {
  const kubectl = spawn('kubectl', ['apply', '--server-side', '--field-manager=inventory', '-f', '-'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  kubectl.stdin.end(JSON.stringify({ apiVersion: 'v1', kind: 'List', items: list }));
  return new Promise((resolve, reject) => kubectl.on('error', reject).on('close', resolve));
}

const endpointSet = ([service, { serviceAccount, port, hosts }]) => ({
  apiVersion: 'mesh.chandlery.io/v1alpha1',
  kind: 'EndpointSet',
  metadata: { name: `inventory-${service}` },
  spec: {
    service,
    serviceAccount,
    endpoints: hosts.map(({ ip, state = 'up', zone }) => ({ ip, port, state: stateOf[state], zone, source: ip })),
    // Without renewals, three in a row, the endpoints are removed.
    lease: { renewTime: new Date().toISOString(), durationSeconds: Math.max(5, Number(seconds) * 3) },
  },
});

for (;;) {
  try {
    await apply(Object.entries(JSON.parse(await readFile(path, 'utf8'))).map(endpointSet));
  } catch (error) {
    console.error(`cannot publish ${path}, trying again: ${error.message}`);
  }
  await pause(Number(seconds) * 1000);
}
