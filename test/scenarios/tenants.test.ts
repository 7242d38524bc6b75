import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tempFolder } from '@chandlery/testing';
import { processesOf } from './support/processes.ts';
import { blocksOf, Terminal } from './support/terminal.ts';

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
  await using terminal = await Terminal.open(folder.path);
  const blocks = await blocksOf('docs/tenants.md');
  assert.equal(blocks.length, 7);
  const [unbind = '', people = '', day = ''] = blocks.splice(-3);
  const output = await terminal.run(...blocks, secondTenant, unbind, people, day);
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
  await terminal.server.stop();
  assert.deepEqual(await processesOf(terminal.server.pid), []);
});
