import type { JsonObject, KubeObject } from '@chandlery/api';
import { finishSteps } from '@chandlery/platform';
import { applyServerSide } from './apply.ts';
import { printPath } from './field-path.ts';
import { type FieldSet, memberPaths } from './field-set.ts';
import type { OwnershipScope } from './ownership-scope.ts';
import { widgetSchema } from './test-schema.ts';
import { trackUpdate } from './update.ts';

/** For tests: how a write is made. */
export interface WriteOptions {
  readonly force?: boolean;
  readonly apiVersion?: string;
  readonly subresource?: string;
  readonly scope?: OwnershipScope;
}

/** For tests: one object and those who write it, each at a later second than the one before. */
export class World {
  live: KubeObject | undefined;
  changed = false;
  #second = 0;

  apply(manager: string, body: JsonObject, options: WriteOptions = {}): this {
    const apiVersion = options.apiVersion ?? 'example.com/v1';
    const steps = applyServerSide({
      ...options,
      live: this.live,
      applied: widget(body, apiVersion),
      manager,
      apiVersion,
      schema: widgetSchema,
      now: this.#now(),
    });
    const { object, changed } = finishSteps(steps);
    this.live = object;
    this.changed = changed;
    return this;
  }

  /** Stores this body; managedFields come along only when the body has them. */
  update(manager: string, body: JsonObject, options: WriteOptions = {}): this {
    const apiVersion = options.apiVersion ?? 'example.com/v1';
    const updated = widget(body, apiVersion);
    const before = this.live;
    const steps = trackUpdate({
      ...options,
      live: before,
      updated,
      manager,
      apiVersion,
      schema: widgetSchema,
      now: this.#now(),
    });
    this.live = finishSteps(steps);
    return this;
  }

  /** What the object says, without identity and managedFields. */
  get content(): JsonObject {
    const { apiVersion: _a, kind: _k, metadata, ...rest } = this.live ?? widget({}, '');
    const { name: _n, managedFields: _m, ...others } = metadata;
    const hasMetadata = Object.keys(others).length > 0;
    return (hasMetadata ? { metadata: others, ...rest } : rest) as unknown as JsonObject;
  }

  /** Owned paths by `manager` (appliers) or `manager Update`. */
  get owners(): Record<string, string[]> {
    const entries = this.live?.metadata.managedFields ?? [];
    return Object.fromEntries(
      entries.map(({ manager, operation, subresource, fieldsV1 }) => [
        [manager, operation === 'Update' ? 'Update' : '', subresource ?? ''].filter(part => part !== '').join(' '),
        [...memberPaths((fieldsV1 ?? {}) as FieldSet)].map(printPath),
      ]),
    );
  }

  #now(): string {
    return new Date(Date.UTC(2026, 0, 1) + 1000 * this.#second++).toISOString().replace('.000', '');
  }
}

function widget(body: JsonObject, apiVersion: string): KubeObject {
  const { metadata = {}, ...rest } = body as { metadata?: JsonObject };
  return { apiVersion, kind: 'Widget', metadata: { name: 'w', ...metadata }, ...rest };
}
