import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildAccess } from './access-objects.ts';
import { initRights, type Rights, type Rule, runRights, tenantNamespaceRules } from './access-rules.ts';
import { missingKinds, ownDefinitions, tenantKinds } from './own-kinds.ts';
import { clusterProviderClass, providerClasses, serviceProviderClass } from './provider-class.ts';
import { servedDefinition, storedProvider } from './test-provider.ts';

const rulesOf = ({ everywhere, inSystemNamespace }: Rights): Rule[] => [...everywhere, ...inSystemNamespace];
const mentions = (rules: readonly Rule[], resource: string): boolean =>
  rules.some(({ resources }) => resources.includes(resource));
const config = servedDefinition('ProviderConfig', 'foo.example.org', 'foo');

describe('Rights of providers', () => {
  for (const providerClass of providerClasses) {
    it(`name every resource of a ${providerClass.kind.kind}, without wildcards`, () => {
      const all = [...rulesOf(initRights(providerClass, 'foo')), ...rulesOf(runRights(providerClass, 'foo', [config]))];
      for (const rule of [...all, ...tenantNamespaceRules]) {
        assert.ok(![...rule.apiGroups, ...rule.resources, ...rule.verbs].includes('*'), JSON.stringify(rule));
        assert.ok(!rule.apiGroups.includes('rbac.authorization.k8s.io'), JSON.stringify(rule));
      }
    });

    it(`let a ${providerClass.kind.kind} write no status but its own`, () => {
      const status = `${providerClass.kind.plural}/status`;
      for (const rights of [initRights(providerClass, 'foo'), runRights(providerClass, 'foo', [])]) {
        const rules = rulesOf(rights).filter(({ resources }) => resources.includes(status));
        assert.deepEqual(
          rules.map(({ resourceNames }) => resourceNames),
          [['foo']],
        );
      }
    });
  }

  it('show secrets everywhere to cluster providers alone', () => {
    assert.ok(!mentions(runRights(serviceProviderClass, 'foo', []).everywhere, 'secrets'));
    assert.ok(mentions(runRights(clusterProviderClass, 'foo', []).everywhere, 'secrets'));
  });

  it('let init install kinds, and a running provider only read them', () => {
    const verbs = (rights: Rights): readonly string[] =>
      rights.everywhere.find(({ resources }) => resources.includes('customresourcedefinitions'))?.verbs ?? [];
    assert.ok(verbs(initRights(serviceProviderClass, 'foo')).includes('create'));
    assert.ok(!verbs(initRights(serviceProviderClass, 'foo')).includes('delete'));
    assert.deepEqual(verbs(runRights(serviceProviderClass, 'foo', [])), ['get', 'list', 'watch']);
  });

  it('are bound to the account of the part', () => {
    const rights = initRights(serviceProviderClass, 'foo');
    const objects = buildAccess(serviceProviderClass, storedProvider(), { part: 'init-job', rights });
    assert.deepEqual(
      objects.map(({ object }) => `${object.kind} ${object.metadata.name}`),
      [
        'ServiceAccount sp-foo-init',
        'ClusterRole chandlery:sp-foo-init',
        'ClusterRoleBinding chandlery:sp-foo-init',
        'Role sp-foo-init',
        'RoleBinding sp-foo-init',
      ],
    );
  });
});

describe('The kinds of a provider', () => {
  const own = servedDefinition('Foo', 'foo.example.org', 'foo');
  const others = servedDefinition('Bar', 'foo.example.org', 'bar');
  const plain = servedDefinition('Plain', 'plain.example.org');

  it('are those that bear its name', () => {
    assert.deepEqual(ownDefinitions([own, others, plain], 'foo'), [own]);
  });

  for (const group of [
    ...['clusters.openmcp.cloud', 'openmcp.cloud', 'core.chandlery.io', 'clusters.chandlery.io', 'apps.k8s.io'],
    ...['brokers.chandlery.io', 'mesh.chandlery.io'],
    ...['access.smi-spec.io', 'metrics.smi-spec.io', 'specs.smi-spec.io', 'split.smi-spec.io'],
  ]) {
    it(`are never those of ${group}, whatever a label says`, () => {
      assert.deepEqual(ownDefinitions([servedDefinition('Cluster', group, 'foo')], 'foo'), []);
    });
  }

  it('of which tenants have objects are those it reports and those it installed', () => {
    const provider = storedProvider();
    provider.status = { resources: [{ group: 'plain.example.org', version: 'v1', kind: 'Plain' }] };
    assert.deepEqual(
      tenantKinds(provider, [plain, own, others]).map(({ plural }) => plural),
      ['foos', 'plains'],
    );
  });

  it('are missing when they are not served in the version that is reported', () => {
    const reported = (version: string) => [{ group: 'foo.example.org', version, kind: 'Foo' }];
    assert.deepEqual(missingKinds(reported('v1'), [own]), []);
    assert.deepEqual(missingKinds(reported('v2'), [own]), ['Foo (foo.example.org/v2)']);
    assert.deepEqual(missingKinds(reported('v1'), [{ ...own, status: {} }]), ['Foo (foo.example.org/v1)']);
  });
});
