import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ChandleryError } from '@chandlery/api';
import { isJsonObject } from '../model/bodies/body-fields.ts';
import type { ServiceModel } from './service-model.ts';

/**
 * Loads models from modules, whose default export is a model or a list of them. Paths are relative to `folder`. Throws
 * `InvalidModel` with the path of the module, so that a server does not start without a model that its operator named.
 */
export async function loadModels(paths: readonly string[], folder = process.cwd()): Promise<readonly ServiceModel[]> {
  const loaded = await Promise.all(paths.map(path => loadModule(path, folder)));
  return loaded.flat();
}

async function loadModule(path: string, folder: string): Promise<readonly ServiceModel[]> {
  const module = await importModule(path, folder);
  const exported: unknown = isJsonObject(module) ? module['default'] : undefined;
  const models: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  for (const model of models) checkModel(model, path);
  return models as readonly ServiceModel[];
}

async function importModule(path: string, folder: string): Promise<unknown> {
  try {
    return { ...((await import(pathToFileURL(resolve(folder, path)).href)) as object) };
  } catch (cause) {
    throw invalidModel(path, `it cannot be loaded: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
  }
}

function checkModel(model: unknown, path: string): void {
  if (!isJsonObject(model)) throw invalidModel(path, 'its default export is neither a model nor a list of models');
  const { schema, orderable, jsonSchema, provider } = model;
  if (typeof schema !== 'string' || schema === '') throw invalidModel(path, 'schema must be a text');
  if (typeof orderable !== 'boolean') throw invalidModel(path, 'orderable must be true or false');
  if (!isJsonObject(jsonSchema)) throw invalidModel(path, 'jsonSchema must be an object');
  const canPlan = isJsonObject(provider) && typeof provider['plan'] === 'function';
  if (orderable && !canPlan) throw invalidModel(path, 'a model that is orderable needs provider.plan');
}

const invalidModel = (path: string, problem: string, cause?: unknown): ChandleryError =>
  new ChandleryError(
    'InvalidModel',
    `The service model ${path} cannot be used: ${problem}`,
    cause === undefined ? {} : { cause },
  );
