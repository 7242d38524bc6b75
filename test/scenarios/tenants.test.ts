import assert from 'node:assert/strict';
import { readFile, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { freePorts, kubectlPath, runProcess, startProcess, tempFolder } from '@chandlery/testing';
import { processesOf } from './support/processes.ts';

const root = join(import.meta.dirname, '../..');

/** The shell commands of the page, block by block. */
async function blocksOf(page: string): Promise<string[]> {
  const text = await readFile(join(root, 'docs', page), 'utf8');
  return [...text.matchAll(/```sh\n(.*?)```/gs)].map(match => match[1] ?? '');
}

/** What a second tenant finds while the first one has ordered. */
const secondTenant = `
kubectl --context onboarding --as bob create -f - <<END
{"apiVersion":"core.openmcp.cloud/v1alpha1","kind":"Project","metadata":{"name":"bobs"}}
END
kubectl --context onboarding --as bob wait --for=condition=Ready project/bobs
npx chandlery kubeconfig bobs > bobs.kubeconfig
bobs() { kubectl --kubeconfig bobs.kubeconfig --as bob "$@"; }
echo "bob's tenants: $(kubectl --context onboarding --as bob get tenants -o name)"
bobs api-resources -o name | grep certificateservices || echo "bob is not served what he has not picked"
bobs get certificateservices -A || true
bobs get workspaces -A
bobs get secrets -n project-acme--ws-dev || true
kubectl --kubeconfig acme.kubeconfig --as bob get controlplanes -A || true
`;

test('docs/tenants.md works as written: a tenant comes, picks, orders, and goes', async () => {
  await using folder = await tempFolder();
  await symlink(join(root, 'examples'), folder.join('examples'));
  const [port, xdsPort] = await freePorts(2);
  const env = {
    CHANDLERY_PORT: String(port),
    CHANDLERY_XDS_PORT: String(xdsPort),
    HOME: folder.path,
    PATH: [dirname(await kubectlPath()), join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
  };
  const bin = join(root, 'apps/cli/bin/chandlery.mjs');
  await using server = await startProcess(process.execPath, [bin, 'up'], {
    cwd: folder.path,
    env,
    ready: /Chandlery is ready/,
  });
  const blocks = await blocksOf('tenants.md');
  assert.equal(blocks.length, 7);
  const [unbind = '', people = '', day = ''] = blocks.splice(-3);
  // npx would look for a package of that name.
  const script = ['set -e', 'npx() { "$@"; }', ...blocks, secondTenant, unbind, people, day].join('\n');
  const { code, stdout, stderr } = await runProcess('bash', ['-c', script], {
    cwd: folder.path,
    env,
    timeoutMs: 420_000,
  });
  const output = `${stdout}\n${stderr}`;
  assert.equal(code, 0, output);
  for (const expected of [
    /project\.core\.openmcp\.cloud\/acme created/,
    /https:\/\/127\.0\.0\.1:\d+\/clusters\/acme\n/,
    /certificates +\["?CertificateService|certificates +CertificateService/,
    /componentbinding\.core\.openmcp\.cloud\/certificates condition met/,
    /certificateservices +certsvc +certificates\.services\.open-control-plane\.io\/v1alpha1 +true +CertificateService/,
    /KIND: +CertificateService/,
    /certificateservice\.certificates\.services\.open-control-plane\.io\/web condition met/,
    /controlplane\.core\.open-control-plane\.io\/web condition met/,
    /^project-acme--ws-dev +web /m,
    /^yes$/m,
    /It goes when these are deleted: 1 CertificateService\.certificates\.services\.open-control-plane\.io\./,
    /^bob's tenants: project\.core\.openmcp\.cloud\/bobs$/m,
    /bob is not served what he has not picked/,
    /the server doesn't have a resource type "certificateservices"/,
    /No resources found/,
    /secrets is forbidden: User "bob" cannot list resource "secrets"/,
    /project\.core\.openmcp\.cloud "acme" deleted/,
    /user ben has the role view in project acme/,
    /user ben revoked: removed from project acme/,
    /^rex is ready$/m,
    /^ServiceInstance\/\S+ "rex" \(project-zoes--ws-dev\) +✔ ready/m,
    /More may be behind it on clusters that you may not read: platform/,
    /project\.core\.openmcp\.cloud\/zoes deleted/,
  ]) {
    assert.match(output, expected);
  }
  await server.stop();
  assert.deepEqual(await processesOf(server.pid), []);
});
