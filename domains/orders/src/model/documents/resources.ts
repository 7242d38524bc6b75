import { parseQuantity, tryParseQuantity } from '@chandlery/api';
import { invalidField } from '../../errors.ts';
import { fieldsOf, isJsonObject, type Json } from '../bodies/body-fields.ts';

/** The resources of a container, in the form of Kubernetes. */
export interface ContainerResources {
  readonly requests?: Record<string, string>;
  readonly limits?: Record<string, string>;
}

const measured = ['cpu', 'memory', 'ephemeral-storage'] as const;
const gpuResource = 'nvidia.com/gpu';

/** Reads `cpu`, `memory`, `ephemeral-storage` (each `{request, limit}`) and `gpu-number` of a basic controller. Throws `invalid`. */
export function basicResources(controller: Json): ContainerResources {
  const fields = fieldsOf(controller, 'controller.');
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const name of measured) {
    const given = fields.object(name) ?? {};
    setQuantity(requests, name, given['request'], `controller.${name}.request`);
    setQuantity(limits, name, given['limit'], `controller.${name}.limit`);
    checkOrder(requests[name], limits[name], `controller.${name}.request`);
  }
  const gpus = fields.integer('gpu-number') ?? 0;
  if (gpus > 0) limits[gpuResource] = String(gpus);
  return resourcesOf(requests, limits);
}

/** Reads `resources {requests, limits}` of a controller. Throws `invalid`. */
export function plainResources(controller: Json, defaults: Readonly<Record<string, string>> = {}): ContainerResources {
  const given = fieldsOf(controller, 'controller.').object('resources') ?? {};
  const requests: Record<string, string> = {};
  const limits: Record<string, string> = {};
  for (const [side, target] of [
    ['requests', requests],
    ['limits', limits],
  ] as const) {
    const quantities = given[side] ?? {};
    const path = `controller.resources.${side}`;
    if (!isJsonObject(quantities)) throw invalidField(path, `${path} must be an object`, quantities);
    for (const [name, value] of Object.entries(quantities)) setQuantity(target, name, value, `${path}.${name}`);
  }
  for (const [name, value] of Object.entries(defaults)) requests[name] ??= limits[name] ?? value;
  for (const name of Object.keys(requests))
    checkOrder(requests[name], limits[name], `controller.resources.requests.${name}`);
  return resourcesOf(requests, limits);
}

function setQuantity(target: Record<string, string>, name: string, value: unknown, path: string): void {
  if (value === undefined || value === null || value === '') return;
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || tryParseQuantity(text) === undefined)
    throw invalidField(path, `${path} must be a quantity such as 500m or 1Gi`, value);
  target[name] = text;
}

function checkOrder(request: string | undefined, limit: string | undefined, path: string): void {
  if (request === undefined || limit === undefined || !isAbove(request, limit)) return;
  throw invalidField(path, `${path} is above the limit, ${limit}`, request);
}

const isAbove = (one: string, other: string): boolean => parseQuantity(one).nanos > parseQuantity(other).nanos;

const resourcesOf = (requests: Record<string, string>, limits: Record<string, string>): ContainerResources => ({
  ...(Object.keys(requests).length > 0 && { requests }),
  ...(Object.keys(limits).length > 0 && { limits }),
});
