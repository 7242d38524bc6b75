import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '@chandlery/api';
import { parseYamlDocuments } from '@chandlery/client';
import { formatsOf } from '../args/global-flags.ts';
import { startOsbBroker, type TestOsbBroker } from '../service-manager/commands/test-osb-broker.ts';
import { startTestServiceManager, type TestServiceManager } from '../service-manager/commands/test-service-manager.ts';
import type { Ran } from '../test-cli.ts';
import { commands } from './index.ts';

const tenant = 'project-acme--ws-dev';
const place = '--project acme --workspace dev';
const sync = `--mode sync -n ${tenant}`;

/** A command line for each command that prints objects; `%` is another number each time. */
const lines: Readonly<Record<string, string | { readonly line: string; readonly before: string }>> = {
  status: 'status',
  version: 'version',
  backup: 'backup saved%',
  'ca status': 'ca status',
  'keys status': 'keys status',
  restore: 'restore saved --data-dir restored%',
  kubeconfig: 'kubeconfig onboarding',
  'context list': 'context list',
  'user list': 'user list',
  'cluster list': 'cluster list',
  'cluster create': 'cluster create c%',
  'provider list': 'provider list',
  'project list': 'project list',
  'project get': 'project get acme',
  'project create': 'project create p%',
  'workspace list': 'workspace list --project acme',
  'workspace get': 'workspace get dev --project acme',
  'workspace create': 'workspace create w% --project acme',
  'controlplane list': `controlplane list ${place}`,
  'controlplane get': `controlplane get web ${place}`,
  'controlplane create': `controlplane create c% ${place}`,
  get: 'get projects,namespaces',
  apply: 'apply -f map.json',
  events: 'events -A',
  'broker list': 'broker list',
  'broker get': 'broker get pg',
  'broker register': 'broker register b% BROKER -b admin:secret',
  'broker update': 'broker update pg',
  'broker delete': { before: 'broker register gone% BROKER -b admin:secret', line: 'broker delete gone% -y' },
  'platform list': 'platform list',
  'platform get': 'platform get eu-1',
  'platform register': 'platform register p% kubernetes',
  'platform update': 'platform update eu-1 {"description":"EU"}',
  'platform delete': { before: 'platform register gone% kubernetes', line: 'platform delete gone% -y' },
  'visibility list': 'visibility list',
  'visibility get': 'visibility get service-manager database/small -b pg',
  'visibility create': { before: 'platform register v% kubernetes', line: 'visibility create v% database/small -b pg' },
  'visibility update': {
    before: 'platform register u% kubernetes',
    line: 'visibility update seen {"labels":[{"op":"add","key":"k%","values":["v"]}]}',
  },
  'visibility delete': {
    before: 'visibility create eu-1 database/large -b pg',
    line: 'visibility delete eu-1 database/large -b pg -y',
  },
  'offering list': 'offering list',
  'plan list': 'plan list',
  history: 'history project/acme --cluster onboarding',
  rollback: 'rollback configmap/settings --to REVISION --dry-run',
  marketplace: 'marketplace',
  'instance list': 'instance list',
  'instance get': `instance get shop -n ${tenant}`,
  'instance create': `instance create i% database small -b pg ${sync}`,
  'instance update': `instance update shop --plan large ${sync}`,
  'instance delete': {
    before: `instance create d% database small -b pg ${sync}`,
    line: `instance delete d% -y ${sync}`,
  },
  'binding list': 'binding list',
  'binding get': `binding get app -n ${tenant}`,
  'binding create': `binding create shop b% ${sync}`,
  'binding delete': { before: `binding create shop d% ${sync}`, line: `binding delete shop d% -y ${sync}` },
  'operation list': 'operation list',
  'operation get': 'operation get OPERATION',
  label: 'label platform eu-1-id add k% --val v',
  info: 'info',
  'mesh status': 'mesh status',
  'fleet configure': 'fleet configure -f fleet.json',
  'fleet token': 'fleet token --org acme --user ann',
  'fleet instance list': 'fleet instance list',
  'fleet instance create': 'fleet instance create f% --org acme --user ann',
  'fleet instance describe': 'fleet instance describe rex',
  'fleet explain': 'fleet explain rex',
  'fleet quota': 'fleet quota',
  'fleet cluster list': 'fleet cluster list',
  'fleet cluster describe': 'fleet cluster describe oslo-1',
  'fleet rollout start': 'fleet rollout start r% --version 1.1.0 --paused',
  'fleet rollout status': 'fleet rollout status',
  'service list': 'service list',
  'service describe': 'service describe echo',
  'service apply': 'service apply -f echo.json',
  'order create': 'order create echo',
  'order list': 'order list',
  'order describe': 'order describe @latest',
  'artifact put': `artifact put map.json -n ${tenant}`,
  'workflow get': 'workflow get',
  'workflow lint': 'workflow lint -f workflow.json',
  'workflow submit': 'workflow submit -f workflow.json --name w%',
};

/** Commands whose formats are tested where what they need runs. */
const elsewhere: Readonly<Record<string, string>> = {
  provider: 'providers/providers.test.ts',
  trace: 'providers/providers.test.ts',
  plan: 'providers/providers.test.ts',
  'store verify': '../../../test/durability/damaged-store.test.ts',
  'instance transfer': 'service-manager/commands/service-manager.test.ts',
  'instance share': 'service-manager/commands/service-manager.test.ts',
  'instance unshare': 'service-manager/commands/service-manager.test.ts',
  'operation retry': 'service-manager/commands/service-manager.test.ts',
  'mesh endpoints': 'commands/mesh/mesh-commands.test.ts',
  'mesh explain': 'commands/mesh/mesh-commands.test.ts',
  'mesh config': 'commands/mesh/mesh-commands.test.ts',
  'mesh bootstrap': 'commands/mesh/bootstrap-command.test.ts',
  'artifact get': 'commands/orders/artifact-commands.test.ts',
  'order top': 'commands/orders/order-commands.test.ts',
  'order cancel': 'commands/orders/order-commands.test.ts',
  'order retry': 'commands/orders/order-commands.test.ts',
  'order resubmit': 'commands/orders/order-commands.test.ts',
  'workflow watch': 'commands/workflow/workflow-commands.test.ts',
};

const files: Readonly<Record<string, object>> = {
  'map.json': { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'red' } },
  'fleet.json': {
    product: { id: 'dinosaurs', kind: 'Dinosaur' },
    clusters: [
      {
        name: 'oslo-1',
        cluster_id: 'oslo-1',
        cloud_provider: 'aws',
        region: 'eu-north-1',
        multi_az: true,
        status: 'ready',
        cluster_dns: 'apps.oslo-1.example.com',
        instance_limit: 20,
      },
    ],
    supported_providers: [
      {
        name: 'aws',
        default: true,
        regions: [{ name: 'eu-north-1', default: true, supported_instance_type: { standard: {} } }],
      },
    ],
    registered_users_per_organisation: [{ id: 'acme', any_user: true, max_allowed_instances: 50 }],
    dns: { type: 'none' },
    sso: { type: 'none' },
  },
  'echo.json': {
    name: 'echo',
    description: 'Says nothing.',
    parameters: [],
    controller: { $schema: 'urn:ivcap:schema:service.basic.1', image: 'alpine:3.7', command: ['true'] },
  },
  'workflow.json': {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'hello' },
    spec: { entrypoint: 'main', templates: [{ name: 'main', suspend: {} }] },
  },
};

const printing = commands.filter(command => command.isHidden !== true && formatsOf(command).length > 0);

describe('-o of every command', () => {
  let sm: TestServiceManager;
  let broker: TestOsbBroker;
  let count = 0;
  const known = new Map<string, string>();

  const run = async (line: string): Promise<Ran> => {
    const filled = line.replaceAll('%', String(count)).split(' ');
    return sm.run(...filled.map(word => known.get(word) ?? word));
  };
  const must = async (line: string): Promise<Ran> => {
    const ran = await run(line);
    assert.equal(ran.code, 0, `${line}: ${ran.stderr}`);
    return ran;
  };

  before(async () => {
    sm = await startTestServiceManager();
    broker = await startOsbBroker('database');
    known.set('BROKER', broker.url);
    for (const [name, content] of Object.entries(files)) writeFileSync(sm.path(name), JSON.stringify(content));
    for (const line of [
      'broker register pg BROKER -b admin:secret',
      'platform register eu-1 kubernetes -i eu-1-id',
      'project create acme --wait',
      'workspace create dev --project acme --wait',
      `controlplane create web ${place}`,
      'visibility create service-manager database/small',
      `instance create shop database small ${sync}`,
      `binding create shop app ${sync}`,
      'fleet configure -f fleet.json',
      'fleet instance create rex --org acme --user ann',
      'service apply -f echo.json',
      'order create echo',
      'workflow submit -f workflow.json',
      'backup saved',
    ])
      await must(line);
    const { stdout } = await must('apply -f map.json -o json');
    known.set('REVISION', (JSON.parse(stdout) as KubeObject).metadata.resourceVersion ?? '');
    const first = async (line: string): Promise<string> => (await must(line)).stdout.split('\n')[0] ?? '';
    known.set('OPERATION', await first('operation list -o name'));
    await must('platform register seen kubernetes');
    known.set('seen', await first('visibility create seen database/small -o name'));
  });
  after(async () => {
    await broker?.[Symbol.asyncDispose]();
    await sm?.[Symbol.asyncDispose]();
  });

  test('every command that prints has a line here, or a test elsewhere', () => {
    const missing = printing
      .map(({ name }) => name)
      .filter(name => lines[name] === undefined && placeOfTest(name) === undefined);
    assert.deepEqual(missing, []);
    const names = new Set(printing.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(lines).filter(name => !names.has(name)),
      [],
    );
    for (const file of Object.values(elsewhere)) assert.ok(existsSync(join(import.meta.dirname, '..', file)), file);
  });

  for (const command of printing) {
    const row = lines[command.name];
    if (row === undefined) continue;
    test(command.name, async () => {
      const { line, before: first = '' } = typeof row === 'string' ? { line: row } : row;
      const widths = new Map<string, number>();
      // An address is there when an agent has reported it: fleet/commands/fleet-commands.test.ts.
      for (const format of formatsOf(command).filter(name => name !== 'url')) {
        count++;
        if (first !== '') await must(first);
        const { stdout } = await must(`${line} -o ${format}`);
        readAs(format, stdout);
        widths.set(format, columnsOf(stdout));
      }
      assert.ok((widths.get('wide') ?? 0) >= (widths.get('table') ?? 0) || !widths.has('wide'), 'wide has more');
    });
  }
});

const placeOfTest = (name: string): string | undefined => elsewhere[name] ?? elsewhere[name.split(' ')[0] ?? ''];

const columnsOf = (table: string): number => (table.split('\n')[0] ?? '').split(/ {3,}/).length;

/** Reads a text as its format says, and throws when it is not that. */
function readAs(format: string, text: string): void {
  switch (format) {
    case 'json':
      return void JSON.parse(text);
    case 'yaml':
      return void assert.ok(typeof parseYamlDocuments(text, 'the output')[0] === 'object', text);
    case 'jsonl':
      for (const line of text.trim().split('\n').filter(Boolean)) JSON.parse(line);
      return;
    case 'name':
      return void assert.match(text, /^(\S+\n)*$/);
    default:
      assert.doesNotMatch(text, /^[[{]/);
  }
}
