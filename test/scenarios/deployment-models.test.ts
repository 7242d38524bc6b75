import assert from 'node:assert/strict';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type TempFolder, tempFolder } from '@chandlery/testing';
import { blocksIn, Terminal } from './support/terminal.ts';

const root = join(import.meta.dirname, '../..');

/** The shell commands of a section of a page; those before the first section have no title. */
async function commandsOf(title?: string, name = 'deployment-models.md'): Promise<string> {
  const page = await readFile(join(root, 'docs', name), 'utf8');
  const [opening = '', ...sections] = page.split(/^## /m);
  const section = title === undefined ? opening : sections.find(each => each.startsWith(title));
  const blocks = blocksIn(section ?? '');
  assert.ok(blocks.length > 0, `docs/${name} has no commands under "${title}"`);
  return blocks.join('\n');
}

const includes = (output: string, ...expected: readonly RegExp[]): void => {
  for (const each of expected) assert.match(output, each);
};

/** What a shell needs to know of the opening: the kubeconfig and `order`. */
const preamble = async (): Promise<string> => {
  const opening = await commandsOf();
  const order = opening.slice(opening.indexOf('order() {'));
  return `export KUBECONFIG=$PWD/.chandlery/admin.kubeconfig\n${order}`;
};

describe('The deployment models of docs/deployment-models.md work as written', () => {
  let folder: TempFolder;
  let terminal: Terminal;
  const closing = new AsyncDisposableStack();
  const play = async (title: string): Promise<string> => terminal.run(await preamble(), await commandsOf(title));

  before(async () => {
    folder = closing.use(await tempFolder());
    terminal = await Terminal.open(folder.join('inside'));
    closing.use(terminal.server);
  });
  after(() => closing.disposeAsync());

  it('profiles and clusters show what they can do', async () => {
    includes(
      await terminal.run(await commandsOf()),
      /^local +chandlery +local +\["API","Run"\]/m,
      /^logical +chandlery +logical +\["API"\]/m,
      /^onboarding +\["onboarding"\] +Ready +\["API"\]/m,
      /^platform +\["platform"\] +Ready +\["API","Run"\]/m,
      /serviceprovider\.openmcp\.cloud\/hello condition met/,
    );
  });

  it('what cannot run says so at once', async () => {
    includes(
      await play('What cannot run says so'),
      /^Warning: This cluster has no nodes: the Deployment is stored, but nothing runs its pods\./m,
      /^NoNode$/m,
      /Warning +NoNode +Deployment\/web +This cluster has no nodes/,
      /^A cluster for purpose "mcp" needs Run, .* ClusterProfile "logical" do not have/m,
    );
  });

  it('1: services of tenants share a workload cluster', async () => {
    const output = await play('1 ');
    assert.equal(output.match(/^hello-\S+ +hello +1\/1/gm)?.length, 2, output);
    includes(output, /^workload +\["workload"\] +Ready +\["API","Run"\]/m);
    assert.doesNotMatch(output, /no nodes/);
  });

  it('2: the service of a tenant has a workload cluster of its own', async () => {
    includes(await play('2 '), /^workload-\S+ +Exclusive +\[API Run\]/m, /^workload +Shared/m);
  });

  it('3: the service runs on the control plane, if that has Run', async () => {
    const output = await play('3 ');
    includes(output, /^dora +ControlPlane .*This cluster has no nodes: the Deployment is stored.* Progressing /m);
    assert.equal(output.match(/^hello-\S+ +hello +1\/1/gm)?.length, 1, output);
  });

  it('4: the provider on the platform cluster is the service', async () => {
    includes(await play('4 '), /^Hello fred$/m, /^sp-hello +1\/1/m);
  });

  it('6: provider and service run outside of the landscape', async () => {
    const outside = await Terminal.open(folder.join('outside'), '--local-clusters', 'off');
    closing.use(outside.server);
    await copyFile(folder.join('inside', 'workload.kubeconfig'), folder.join('outside', 'workload.kubeconfig'));
    const output = await outside.run(await preamble(), await commandsOf('6 '));
    includes(output, /^far +\["workload"\] +Ready +\["API","Run"\]/m);
    assert.doesNotMatch(output, /^workload /m, 'no local cluster is made');
    const elsewhere = await terminal.run('kubectl --kubeconfig workload.kubeconfig get deployments -A');
    assert.equal(elsewhere.match(/^hello-\S+ +hello +1\/1/gm)?.length, 3, elsewhere);
    const stopped = `--for=jsonpath='{.status.conditions[?(@.type=="RunReady")].reason}'=NotRunning`;
    const page = await outside.run(
      await preamble(),
      `kubectl --context platform wait serviceprovider/hello ${stopped} --timeout=1m`,
      await commandsOf(undefined, 'providers-outside.md'),
      `kubectl --context platform wait serviceprovider/hello ${stopped} --timeout=1m`,
    );
    includes(page, /^RunReady +True +RunsElsewhere +It runs outside of the landscape, on \S+\.$/m);
    const rejected = await outside.run('npx chandlery provider install examples/providers/postgres || true');
    includes(
      rejected,
      /^Next: .*"npx chandlery provider kubeconfig postgres --init" writes the kubeconfig of its init/m,
    );
    await outside.server.stop();
  });
});
