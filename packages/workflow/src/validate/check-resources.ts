import { isFields } from '../document/parse-workflow.ts';
import type { Template, TemplateKind } from '../document/template.ts';
import { refuse } from './problem.ts';
import { isPod, kindNames } from './template-kind.ts';

const cleanupStrategies: readonly unknown[] = [
  undefined,
  '',
  'OnPodCompletion',
  'OnPodSuccess',
  'OnWorkflowCompletion',
  'OnWorkflowSuccess',
];

/** Refuses an unknown strategy for the removal of pods. There are no pods here to be removed. */
export function checkPodCleanup(podGC: unknown): void {
  const strategy = isFields(podGC) ? podGC['strategy'] : undefined;
  if (!cleanupStrategies.includes(strategy)) refuse(`podGC.strategy unknown strategy '${String(strategy)}'`);
}

/** Refuses resources of a template that Kubernetes would refuse for its pod. */
export function checkTemplateResources(template: Template, kind: TemplateKind): void {
  const path = `templates.${template.name ?? ''}.podResources`;
  const resources = template['podResources'];
  if (resources === undefined) return;
  if (kind === 'http' || kind === 'plugin') refuse(`${path} is not supported for ${kindNames[kind]} templates`);
  checkPodResources(path, resources);
}

/** Refuses resources that a pod as a whole cannot have. */
export function checkPodResources(path: string, resources: unknown): void {
  if (!isFields(resources)) return;
  const { claims, limits, requests } = resources;
  if (Array.isArray(claims) && claims.length > 0) refuse(`${path}.claims is not supported for pod-level resources`);
  for (const list of [limits, requests].filter(isFields)) {
    const other = Object.keys(list).find(name => !/^(cpu|memory|hugepages-.*)$/.test(name));
    if (other === undefined) continue;
    refuse(`${path}: "${other}" is not a valid pod-level resource, only cpu, memory and hugepages-* are supported`);
  }
}

/** Refuses claims of a template that makes no pod. */
export function checkResourceClaims(template: Template, kind: TemplateKind): void {
  const claims = template['resourceClaims'];
  if (!Array.isArray(claims) || claims.length === 0 || isPod(kind)) return;
  const path = `templates.${template.name ?? ''}.resourceClaims`;
  refuse(`${path} is not supported for ${kindNames[kind]} templates, which do not create a pod`);
}
