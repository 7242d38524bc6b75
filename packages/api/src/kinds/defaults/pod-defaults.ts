import { childOf, type Draft, ensureChild, fill, isAbsent, itemsOf } from './draft.ts';

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** An image that may change under its name is pulled each time. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  const [name = '', digest] = image.split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1];
  const isFloating = tag === 'latest' || (tag === undefined && digest === undefined);
  return isFloating ? 'Always' : 'IfNotPresent';
}

function fillContainer(container: Draft, isOnHostNetwork: boolean): void {
  const { image } = container;
  if (typeof image === 'string' && image !== '') fill(container, 'imagePullPolicy', pullPolicyOf(image));
  if (!isOnHostNetwork) return;
  for (const port of itemsOf(container, 'ports')) {
    if (isAbsent(port['hostPort']) || port['hostPort'] === 0) port['hostPort'] = port['containerPort'];
  }
}

/** A volume that does not say what it is, is an empty directory. */
function fillVolume(volume: Draft): void {
  const hasSource = Object.entries(volume).some(([field, value]) => field !== 'name' && !isAbsent(value));
  if (!hasSource) volume['emptyDir'] = {};
}

/** The field has an old and a new name; both are kept. */
function alignServiceAccount(spec: Draft): void {
  const name = spec['serviceAccountName'] || spec['serviceAccount'];
  if (typeof name !== 'string') return;
  spec['serviceAccountName'] = name;
  spec['serviceAccount'] = name;
}

/** Fills in what a pod and a pod template have in common. */
export function fillPodSpec(spec: Draft | undefined): void {
  if (spec === undefined) return;
  const isOnHostNetwork = spec['hostNetwork'] === true;
  for (const list of containerLists) {
    for (const container of itemsOf(spec, list)) fillContainer(container, isOnHostNetwork);
  }
  for (const volume of itemsOf(spec, 'volumes')) fillVolume(volume);
  alignServiceAccount(spec);
}

/** What is limited but not asked for, is asked for up to the limit. */
function fillRequests(container: Draft): void {
  const resources = childOf(container, 'resources');
  const limits = childOf(resources, 'limits');
  if (resources === undefined || limits === undefined) return;
  const requests = ensureChild(resources, 'requests');
  if (requests === undefined) return;
  for (const [resource, limit] of Object.entries(limits)) fill(requests, resource, limit);
}

/** Fills in a pod. */
export function fillPod(pod: Draft): void {
  const spec = childOf(pod, 'spec');
  fillPodSpec(spec);
  for (const container of [...itemsOf(spec, 'initContainers'), ...itemsOf(spec, 'containers')]) fillRequests(container);
}
