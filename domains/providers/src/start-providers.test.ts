import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as clusterKinds from '@chandlery/clusters/kinds';
import { silentLogger } from '@chandlery/platform';
import { installKinds } from '@chandlery/runtime';
import { eventually, startTestPlane } from '@chandlery/testing';
import { ScriptedClusters } from './controllers/tenants/test-clusters.ts';
import { isGone, untilCondition } from './controllers/tenants/test-landscape.ts';
import { startProviders } from './index.ts';
import { controlPlaneConfigs, controlPlanes, projects, projectWorkspaceConfigs, workspaces } from './kinds/index.ts';

const { accessRequests, clusterProfiles, clusterRequests, clusters, tenantNamespace } = clusterKinds;
const ready = { type: 'Ready', status: 'True' };
const namespaces = { group: '', version: 'v1', plural: 'namespaces' };
const definitions = { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions' };

it('A tenant comes and goes: project, workspace, control plane', async () => {
  await using plane = await startTestPlane();
  const [platform, onboarding] = [plane.connect('platform'), plane.client];
  const onPlatform = [clusters, clusterProfiles, clusterRequests, accessRequests].map(({ crd }) => crd);
  await installKinds(platform, onPlatform, { fieldManager: 'test' });
  await using _clusters = new ScriptedClusters(platform);
  await using _providers = await startProviders({ platform, onboarding, logger: silentLogger });
  assert.equal(await isGone(platform, { ...definitions, name: projects.crd.metadata.name ?? '' }), true);
  assert.equal(await isGone(onboarding, { ...definitions, name: controlPlaneConfigs.crd.metadata.name ?? '' }), true);
  assert.ok(await onboarding.get({ ...projectWorkspaceConfigs.ref, name: 'default' }));
  assert.ok(await platform.get({ ...controlPlaneConfigs.ref, name: 'default' }));

  const project = { ...projects.ref, name: 'sea' };
  await onboarding.create(projects.ref, projects.object({ name: 'sea' }, { members: [] }));
  await untilCondition(onboarding, project, ready);
  const workspace = { ...workspaces.ref, namespace: 'project-sea', name: 'north' };
  await onboarding.create(workspace, workspaces.object({ name: 'north', namespace: 'project-sea' }, { members: [] }));
  await untilCondition(onboarding, workspace, ready);
  const namespace = 'project-sea--ws-north';
  const controlPlane = { ...controlPlanes.ref, namespace, name: 'a' };
  await onboarding.create(controlPlane, controlPlanes.object({ name: 'a', namespace }, {}));
  await untilCondition(onboarding, controlPlane, ready);
  const place = tenantNamespace(namespace, 'a');
  const { labels } = (await platform.get({ ...clusterRequests.ref, namespace: place, name: 'a' })).metadata;
  assert.equal(labels?.['metadata.open-control-plane.io/project'], 'sea');
  assert.equal(labels['metadata.open-control-plane.io/workspace'], 'north');

  for (const ref of [project, workspace]) await onboarding.delete(ref);
  for (const ref of [project, workspace])
    await untilCondition(onboarding, ref, { type: 'ContentRemaining', status: 'True' });
  await onboarding.delete(controlPlane);
  await eventually(() => isGone(onboarding, project));
  const left = [...(await onboarding.list(namespaces)).items, ...(await platform.list(namespaces)).items];
  assert.deepEqual(
    left.map(({ metadata }) => metadata.name ?? '').filter(name => /^(project-|mcp--)/.test(name)),
    [],
  );
});
