import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cluster } from '../../kinds/cluster.ts';
import { hash8 } from '../../kinds/hashed-names.ts';
import type { SchedulerConfig } from '../../kinds/scheduler-config.ts';
import { decideRequest } from './decide-request.ts';
import { holdersOf } from './holds.ts';
import type { Plan } from './plan.ts';
import {
  type ClusterParts,
  type RequestParts,
  type RuleParts,
  testChance,
  testCluster,
  testConfig,
  testRequest,
  testView,
} from './test-scheduling.ts';

interface Case {
  readonly why: string;
  readonly request?: RequestParts;
  /** Null: there is none. */
  readonly rule?: RuleParts | null;
  readonly config?: Partial<Pick<SchedulerConfig['spec'], 'scope' | 'strategy'>>;
  readonly clusters?: Readonly<Record<string, ClusterParts>>;
  readonly dead?: readonly string[];
  readonly plan: string;
}

/** A plan in few words. */
function notify(plan: Plan): string {
  switch (plan.type) {
    case 'grant':
    case 'create':
      return `${plan.type} ${plan.cluster.metadata.namespace}/${plan.cluster.metadata.name}`;
    case 'hold':
      return [`hold ${plan.cluster.metadata.name}`, ...plan.orphans.map(uid => `without ${uid}`)].join(' ');
    case 'wait':
    case 'deny':
      return `${plan.type} ${plan.reason}`;
  }
}

function decide({ request, rule = {}, config, clusters = {}, dead }: Omit<Case, 'why' | 'plan'>): Plan {
  const all: readonly Cluster[] = Object.entries(clusters).map(([name, parts]) => testCluster(name, parts));
  return decideRequest({
    request: testRequest(request),
    config: rule === null ? undefined : testConfig(rule, config),
    view: testView(all, dead),
    chance: testChance,
  });
}

const own = hash8('default', 'r');
const exclusive = { tenancy: 'Exclusive' } as const;
const apiAndRun: ClusterParts = { capabilities: ['API', 'Run'] };

const cases: readonly Case[] = [
  { why: 'no configuration', rule: null, plan: 'wait ConfigurationProblem' },
  { why: 'an unknown purpose', request: { purpose: 'x' }, plan: 'deny ConfigurationProblem' },
  { why: 'an unlimited shared cluster has the name of the purpose', plan: 'create openmcp-system/p' },
  { why: 'or that of the template', rule: { metadata: { name: 't' } }, plan: 'create openmcp-system/t' },
  {
    why: 'or begins as the template says',
    rule: { metadata: { name: 't', generateName: 'g-' } },
    plan: `create openmcp-system/g-${own}`,
  },
  { why: 'a limited one names the request', rule: { tenancyCount: 2 }, plan: `create openmcp-system/p-${own}` },
  {
    why: 'an exclusive one names the request, whatever name the template has',
    rule: { ...exclusive, metadata: { name: 't' } },
    plan: `create openmcp-system/p-${own}`,
  },
  {
    why: 'an exclusive one begins as the template says',
    rule: { ...exclusive, metadata: { generateName: 'g-' } },
    plan: `create openmcp-system/g-${own}`,
  },
  {
    why: 'a random name, if asked for',
    rule: exclusive,
    request: { labels: { 'clusters.openmcp.cloud/randomize-cluster-name': 'true' } },
    plan: 'create openmcp-system/p-zzzzz',
  },
  { why: "the template's namespace", rule: { metadata: { namespace: 'n' } }, plan: 'create n/p' },
  { why: 'beside the request, if scope says so', config: { scope: 'Namespaced' }, plan: 'create default/p' },
  {
    why: 'in scope are only those beside the request',
    config: { scope: 'Namespaced' },
    clusters: { a: {}, b: { namespace: 'default' } },
    plan: 'hold b',
  },
  { why: 'a shared one that is there', clusters: { a: {} }, plan: 'hold a' },
  { why: 'not one of another purpose', clusters: { a: { purposes: ['q'] } }, plan: 'create openmcp-system/p' },
  { why: 'not an exclusive one', clusters: { a: { tenancy: 'Exclusive' } }, plan: 'create openmcp-system/p' },
  { why: 'not one that goes', clusters: { a: { isDeleting: true } }, plan: 'create openmcp-system/p' },
  {
    why: 'an exclusive request gets none that is there',
    rule: exclusive,
    clusters: { a: {}, b: exclusive },
    plan: `create openmcp-system/p-${own}`,
  },
  {
    why: 'Balanced: the fewest requests',
    clusters: { a: { holders: ['1', '2'] }, b: { holders: ['3'] }, c: { holders: ['4'] } },
    plan: 'hold b',
  },
  {
    why: 'Simple: the first',
    config: { strategy: 'Simple' },
    clusters: { b: {}, a: { holders: ['1', '2'] } },
    plan: 'hold a',
  },
  { why: 'Random: any', config: { strategy: 'Random' }, clusters: { a: {}, b: {}, c: {} }, plan: 'hold b' },
  {
    why: 'not one at its limit',
    rule: { tenancyCount: 2 },
    clusters: { a: { holders: ['1', '2'] }, b: { holders: ['3', '4'] } },
    plan: `create openmcp-system/p-${own}`,
  },
  { why: 'one below its limit', rule: { tenancyCount: 2 }, clusters: { a: { holders: ['1'] } }, plan: 'hold a' },
  {
    why: 'recovered: it is held already',
    clusters: { a: {}, b: { holders: ['me', '1'] } },
    plan: 'grant openmcp-system/b',
  },
  {
    why: 'recovered without configuration',
    rule: null,
    clusters: { b: { holders: ['me'] } },
    plan: 'grant openmcp-system/b',
  },
  {
    why: 'given and held',
    request: { given: 'a' },
    clusters: { a: { holders: ['me'] } },
    plan: 'grant openmcp-system/a',
  },
  { why: 'given and not held any more', request: { given: 'a' }, clusters: { a: {} }, plan: 'hold a' },
  { why: 'given and lost', request: { given: 'a' }, clusters: { b: {} }, plan: 'create openmcp-system/a' },
  {
    why: 'given and going: held until the request goes',
    request: { given: 'a' },
    clusters: { a: { holders: ['me'], isDeleting: true } },
    plan: 'grant openmcp-system/a',
  },
  {
    why: 'given, being deleted and not held: created again after that',
    request: { given: 'a' },
    clusters: { a: { isDeleting: true } },
    plan: 'wait WaitingForClusterDeletion',
  },
  {
    why: 'given, not held, and full by now',
    request: { given: 'a' },
    rule: { tenancyCount: 1 },
    clusters: { a: { holders: ['1'] } },
    plan: 'deny ClusterConflict',
  },
  {
    why: 'the name is taken by a living request',
    rule: exclusive,
    clusters: { [`p-${own}`]: { ...exclusive, holders: ['1'] } },
    plan: 'deny ClusterConflict',
  },
  {
    why: 'the name is taken by a deleted request',
    rule: exclusive,
    clusters: { [`p-${own}`]: { ...exclusive, holders: ['1'] } },
    dead: ['1'],
    plan: `hold p-${own} without 1`,
  },
  {
    why: 'the name is taken without a holder',
    rule: exclusive,
    clusters: { [`p-${own}`]: exclusive },
    plan: `hold p-${own}`,
  },
  {
    why: 'the cluster of the name is going',
    rule: exclusive,
    clusters: { [`p-${own}`]: { ...exclusive, isDeleting: true } },
    plan: 'wait WaitingForClusterDeletion',
  },
  {
    why: 'an exclusive request does not take a shared cluster over',
    rule: exclusive,
    clusters: { [`p-${own}`]: {} },
    plan: 'deny ClusterConflict',
  },
  {
    why: 'the cluster of the name has another purpose',
    clusters: { p: { purposes: ['q'] } },
    plan: 'deny ClusterConflict',
  },
  {
    why: 'Run is needed and the template cannot',
    rule: { requiredCapabilities: ['API', 'Run'] },
    plan: 'deny CapabilityMissing',
  },
  { why: 'a template with Run can', rule: { profile: 'local' }, plan: 'create openmcp-system/p' },
  {
    why: 'a purpose that says nothing needs what its template has',
    rule: { profile: 'local' },
    clusters: { a: {}, b: apiAndRun },
    plan: 'hold b',
  },
  {
    why: 'the request alone needs Run',
    request: { requiredCapabilities: ['Run'] },
    clusters: { a: {}, b: apiAndRun },
    plan: 'hold b',
  },
  {
    why: 'the request alone needs Run, and none has it',
    request: { requiredCapabilities: ['Run'] },
    rule: exclusive,
    clusters: { a: {} },
    plan: 'deny CapabilityMissing',
  },
  {
    why: 'a purpose that needs an API is content with one that runs pods',
    clusters: { a: apiAndRun },
    plan: 'hold a',
  },
  {
    why: 'what the cluster states counts, not its profile',
    rule: { profile: 'local' },
    clusters: { p: { capabilities: ['API'] } },
    plan: 'deny CapabilityMissing',
  },
  {
    why: 'rather one whose nodes are ready, though it has more requests',
    rule: { profile: 'local' },
    clusters: { a: { ...apiAndRun, runReady: 'False' }, b: { ...apiAndRun, runReady: 'True', holders: ['1'] } },
    plan: 'hold b',
  },
  {
    why: 'nodes do not matter to those who need an API',
    clusters: { a: { ...apiAndRun, runReady: 'False' }, b: { ...apiAndRun, holders: ['1'] } },
    plan: 'hold a',
  },
  {
    why: 'if none has nodes, one that should have',
    rule: { profile: 'local' },
    clusters: { a: { ...apiAndRun, runReady: 'False' } },
    plan: 'hold a',
  },
  {
    why: 'given before Run was requested',
    request: { given: 'a', requiredCapabilities: ['Run'] },
    clusters: { a: { holders: ['me'] } },
    plan: 'grant openmcp-system/a',
  },
  {
    why: 'given, lost, and the template has no Run any more',
    request: { given: 'a', requiredCapabilities: ['Run'] },
    plan: 'deny CapabilityMissing',
  },
  {
    why: 'a selector that cannot be understood',
    rule: { selector: { matchLabels: { '-': 'x' } } },
    clusters: { a: {} },
    plan: 'deny ConfigurationProblem',
  },
  {
    why: 'a selector of identities',
    rule: { selector: { matchIdentities: [{ name: 'b' }] } },
    clusters: { a: {}, b: {} },
    plan: 'hold b',
  },
];

describe('A request for a cluster', () => {
  it('gets one with a name that is allowed, whatever the purpose', () => {
    const config = testConfig();
    const rule = config.purposes['p'];
    assert.ok(rule);
    const request = testRequest({ purpose: 'Big Data!' });
    const plan = decideRequest({
      request,
      config: { ...config, purposes: { 'Big Data!': rule } },
      view: testView([]),
      chance: testChance,
    });
    assert.equal(notify(plan), 'create openmcp-system/big-data');
  });

  for (const { why, plan, ...situation } of cases) {
    it(`${plan}: ${why}`, () => assert.equal(notify(decide(situation)), plan));
  }

  it('gets the list of purposes', () => {
    const plan = decide({ request: { purpose: 'x' } });
    assert.ok(plan.type === 'deny');
    assert.match(plan.message, /"x" \(it knows p\)/);
  });

  it('gets the missing capability and the cluster without it', () => {
    const made = decide({ rule: { requiredCapabilities: ['API', 'Run'] } });
    assert.ok(made.type === 'deny');
    assert.match(made.message, /purpose "p" needs Run, .* ClusterProfile "logical" do not have/);
    const found = decide({ rule: { profile: 'local' }, clusters: { p: { capabilities: ['API'] } } });
    assert.ok(found.type === 'deny');
    assert.match(found.message, /needs Run, which Cluster openmcp-system\/p does not have/);
  });

  it('leaves its marks on its exclusive cluster, and on no shared one', () => {
    const labels = { 'metadata.open-control-plane.io/project': 'a', app: 'b' };
    const created = decide({ rule: exclusive, request: { labels } });
    assert.ok(created.type === 'create');
    assert.deepEqual(created.cluster.metadata.labels, { 'metadata.open-control-plane.io/project': 'a' });
    assert.deepEqual(holdersOf(created.cluster), ['me']);
    const refreshed = decide({ request: { labels, given: 'a' }, clusters: { a: { ...exclusive, holders: ['me'] } } });
    assert.ok(refreshed.type === 'hold');
    assert.deepEqual(refreshed.metadata.labels, { 'metadata.open-control-plane.io/project': 'a' });
    const shared = decide({ request: { labels } });
    assert.ok(shared.type === 'create');
    assert.deepEqual(shared.cluster.metadata.labels, {});
  });
});
