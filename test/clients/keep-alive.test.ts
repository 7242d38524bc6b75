import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runProcess, startTestLandscape, type TestLandscape } from '@chandlery/testing';

let landscape: TestLandscape;

before(async () => {
  landscape = await startTestLandscape();
});
after(() => landscape?.[Symbol.asyncDispose]());

const rounds = 60;

/** Which of these programs are on the machine. */
async function isInstalled(command: string): Promise<boolean> {
  return await runProcess(command, ['--version']).then(
    ({ code }) => code === 0,
    () => false,
  );
}

/**
 * On one connection: a ClusterRole whose response is larger than the buffers of a socket, then a small patch. Python's
 * client sends the head and the body of a request apart.
 */
const pythonClient = `
import collections, http.client, json, ssl, sys
port, token, ca, rounds = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
connection = http.client.HTTPSConnection('127.0.0.1', port, context=ssl.create_default_context(cafile=ca), timeout=60)
roles = '/clusters/platform/apis/rbac.authorization.k8s.io/v1/clusterroles'
results = collections.Counter()

def send(method, path, body, media='application/json'):
    headers = {'authorization': 'Bearer ' + token, 'content-type': media}
    connection.request(method, path, body=json.dumps(body).encode(), headers=headers)
    response = connection.getresponse()
    response.read()
    results[method + ' ' + str(response.status)] += 1

def role(number):
    rules = [{'apiGroups': ['g%d.example.com' % at], 'resources': ['r%d' % at], 'verbs': ['get', 'v%d' % number]} for at in range(2000)]
    return {'apiVersion': 'rbac.authorization.k8s.io/v1', 'kind': 'ClusterRole', 'metadata': {'name': 'large'}, 'rules': rules}

send('POST', roles, role(0))
for number in range(1, rounds + 1):
    send('PUT', roles + '/large', role(number))
    send('PATCH', '/clusters/platform/api/v1/namespaces/default', {'metadata': {'labels': {'number': str(number)}}}, 'application/merge-patch+json')
print(json.dumps(results))
`;

test('a small request after a large response is understood: http.client of Python', async context => {
  if (!(await isInstalled('python3'))) return context.skip('python3 is not installed on this machine');
  const { port, token, dataDir } = landscape;
  const script = join(dataDir, 'keep-alive.py');
  await writeFile(script, pythonClient);
  const args = [script, String(port), token, join(dataDir, 'ca.crt'), String(rounds)];
  const { code, stdout, stderr } = await runProcess('python3', args, { timeoutMs: 240_000 });
  assert.equal(code, 0, stderr);
  assert.deepEqual(JSON.parse(stdout), { 'POST 201': 1, 'PUT 200': rounds, 'PATCH 200': rounds });
});

test('a small request after a large response is understood: curl', async context => {
  if (!(await isInstalled('curl'))) return context.skip('curl is not installed on this machine');
  const { url, token, dataDir } = landscape;
  const maps = `${url}/clusters/platform/api/v1/namespaces/default/configmaps`;
  const large = join(dataDir, 'large.json');
  await writeFile(
    large,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'large' },
      data: { a: 'x'.repeat(900_000) },
    }),
  );
  const common = ['--cacert', join(dataDir, 'ca.crt'), '-sS', '-o', '/dev/null', '-w', '%{http_code}\n'];
  const headers = (media: string) => ['-H', `Authorization: Bearer ${token}`, '-H', `Content-Type: ${media}`];
  const create = [...common, ...headers('application/json'), '-X', 'POST', '--data-binary', `@${large}`, maps];
  const patch = '{"metadata":{"labels":{"a":"b"}}}';
  const merge = headers('application/merge-patch+json');
  const change = [...common, ...merge, '-X', 'PATCH', '-d', patch, `${maps}/large`];
  const args = [...create, ...Array.from({ length: 20 }, () => ['--next', ...change]).flat()];
  const { stdout, stderr } = await runProcess('curl', args);
  assert.deepEqual(stdout.trim().split('\n'), ['201', ...Array<string>(20).fill('200')], stderr);
});
