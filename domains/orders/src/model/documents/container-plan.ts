import { tryParseQuantity } from '@chandlery/api';
import type { Container, Template, Volume, VolumeMount, WorkflowSpec } from '@chandlery/workflow';
import { invalidField } from '../../errors.ts';
import { fieldsOf, type Json } from '../bodies/body-fields.ts';
import { commandLine, workflowArguments } from '../parameters/command-line.ts';
import type { PlanInput, WorkflowPlan } from './plan.ts';
import { basicResources, type ContainerResources, plainResources } from './resources.ts';

/** The platform's faults are retried, the service's are not. */
const retryLimit = 2;

const sharedMemoryVolume = 'shared-memory';

/** Returns the document of a basic service: one container. Throws `invalid` for a controller that cannot be executed. */
export function planBasic(input: PlanInput): WorkflowPlan {
  const resources = basicResources(input.controller);
  return { ...planContainer(input, { name: 'basic', resources }), warnings: warningsOf(resources) };
}

/** The resources that a batch service gets when it names none. */
const batchRequests = { cpu: '500m', memory: '1Gi' };

/** Returns the document of a batch service: one container that takes its job from the data proxy. Throws `invalid`. */
export function planBatch(input: PlanInput): WorkflowPlan {
  const resources = plainResources(input.controller, batchRequests);
  return { ...planContainer(input, { name: 'batch', resources }), warnings: warningsOf(resources) };
}

interface ContainerParts {
  /** Of the template. */
  readonly name: string;
  readonly resources: ContainerResources;
}

function planContainer(
  { controller, definitions, values }: PlanInput,
  parts: ContainerParts,
): Omit<WorkflowPlan, 'warnings'> {
  const given = workflowArguments(values);
  const fields = fieldsOf(controller, 'controller.');
  const shared = sharedMemory(controller);
  const container: Container = {
    image: fields.requiredText('image'),
    command: readCommand(controller),
    args: [...commandLine(definitions, given)],
    imagePullPolicy: fields.text('image-pull-policy') ?? 'IfNotPresent',
    resources: { ...parts.resources },
    ...(shared && { volumeMounts: [shared.mount] }),
  };
  const template: Template = {
    name: parts.name,
    container,
    retryStrategy: { limit: retryLimit, retryPolicy: 'OnError' },
    ...placementOf(fields.text('gpu-type')),
  };
  const spec: WorkflowSpec = {
    entrypoint: parts.name,
    templates: [template],
    arguments: { parameters: given.map(({ name, value }) => ({ name, value })) },
    ...(shared && { volumes: [shared.volume] }),
  };
  return { spec };
}

/** A list of words; one text stands for one word. Throws `invalid`. */
export function readCommand(controller: Json): string[] {
  const { command } = controller;
  if (typeof command === 'string') return command.trim().split(/\s+/).filter(Boolean);
  return fieldsOf(controller, 'controller.').texts('command') ?? [];
}

interface SharedMemory {
  readonly volume: Volume;
  readonly mount: VolumeMount;
}

function sharedMemory(controller: Json): SharedMemory | undefined {
  const size = controller['shared-memory'];
  if (size === undefined || size === null || size === '') return undefined;
  const path = 'controller.shared-memory';
  if (typeof size !== 'string' || tryParseQuantity(size) === undefined)
    throw invalidField(path, `${path} must be a quantity such as 1Gi`, size);
  return {
    volume: { name: sharedMemoryVolume, emptyDir: { medium: 'Memory', sizeLimit: size } },
    mount: { name: sharedMemoryVolume, mountPath: '/dev/shm' },
  };
}

const placementOf = (gpuType: string | undefined): Partial<Template> =>
  gpuType === undefined
    ? {}
    : {
        nodeSelector: { 'cloud.google.com/gke-accelerator': gpuType },
        tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists', effect: 'NoSchedule' }],
      };

function warningsOf({ requests = {}, limits = {} }: ContainerResources): readonly string[] {
  const names = [...new Set([...Object.keys(limits), ...Object.keys(requests)])].sort();
  if (names.length === 0) return [];
  return [`A node of the landscape itself does not enforce ${names.join(', ')}; nodes of Kubernetes do`];
}
