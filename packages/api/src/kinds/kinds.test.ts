import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { KindDeclaration, ProtobufMessage, ProtobufType } from '../kind.ts';
import type { StructuralSchema } from '../schema.ts';
import { builtInKinds, objectMetaProtobuf, objectMetaSchema, reviewKinds } from './index.ts';

type Visit = (path: string, schema: StructuralSchema) => void;

function walkSchema(path: string, schema: StructuralSchema, visit: Visit): void {
  visit(path, schema);
  for (const [name, child] of Object.entries(schema.properties ?? {})) walkSchema(`${path}.${name}`, child, visit);
  if (schema.items !== undefined) walkSchema(`${path}[]`, schema.items, visit);
  if (typeof schema.additionalProperties === 'object') walkSchema(`${path}{}`, schema.additionalProperties, visit);
}

const messageOf = (type: ProtobufType): ProtobufMessage | undefined => {
  const message = typeof type === 'function' ? type() : type;
  return typeof message === 'string' ? undefined : message;
};

function walkProtobuf(message: ProtobufMessage, visit: (message: ProtobufMessage) => void): void {
  const seen = new Set<ProtobufMessage>();
  const open = [message];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    visit(next);
    for (const { type } of Object.values(next)) {
      const nested = messageOf(type);
      if (nested !== undefined) open.push(nested);
    }
  }
}

const nameOf = ({ group, kind }: KindDeclaration): string => (group === '' ? kind : `${kind}.${group}`);

const schemas: readonly (readonly [string, StructuralSchema])[] = [
  ['ObjectMeta', objectMetaSchema],
  ...[...builtInKinds, ...reviewKinds].flatMap(kind =>
    kind.versions.map(version => [nameOf(kind), version.schema] as const),
  ),
];

const eachSchema = (visit: Visit): void => {
  for (const [name, schema] of schemas) walkSchema(name, schema, visit);
};

describe('schemas of built-in kinds', () => {
  test('every list says how it merges, and its keys are fields of its items', () => {
    eachSchema((path, schema) => {
      if (schema.type !== 'array') return;
      assert.ok(schema['x-kubernetes-list-type'] !== undefined, `${path} has no list type`);
      assert.ok(schema.items !== undefined, `${path} has no items`);
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      assert.equal(keys.length > 0, schema['x-kubernetes-list-type'] === 'map', `${path}: keys and list type disagree`);
      const mergeKey = schema['x-kubernetes-patch-merge-key'];
      for (const key of mergeKey === undefined ? keys : [...keys, mergeKey]) {
        const field: StructuralSchema | undefined = schema.items.properties?.[key];
        assert.ok(field?.type === 'string' || field?.type === 'integer', `${path}: key ${key} is not a scalar field`);
      }
    });
  });

  test('keys of lists are required or have a default, so that every item has an identity', () => {
    eachSchema((path, schema) => {
      if (path.includes('.status') || path.includes('imagePullSecrets') || path.includes('ServiceAccount')) return;
      for (const key of schema['x-kubernetes-list-map-keys'] ?? []) {
        const isSafe = schema.items?.required?.includes(key) || schema.items?.properties?.[key]?.default !== undefined;
        assert.ok(isSafe, `${path}: key ${key} may be missing`);
      }
    });
  });

  test('required fields exist', () => {
    eachSchema((path, schema) => {
      for (const name of schema.required ?? []) assert.ok(schema.properties?.[name], `${path} requires ${name}`);
    });
  });

  test('every field has a description and a type', () => {
    eachSchema((path, schema) => {
      const isTyped = schema.type ?? schema.anyOf ?? schema['x-kubernetes-int-or-string'];
      assert.ok(isTyped !== undefined, `${path} has no type`);
      for (const [name, child] of Object.entries(schema.properties ?? {})) {
        assert.ok((child.description ?? '').endsWith('.'), `${path}.${name} has no description`);
      }
    });
  });

  test('defaults are among the allowed values', () => {
    eachSchema((path, schema) => {
      if (schema.enum === undefined || schema.default === undefined) return;
      assert.ok(schema.enum.includes(schema.default), `${path}: ${JSON.stringify(schema.default)}`);
    });
  });

  test('allowed values are sorted, because messages list them', () => {
    eachSchema((path, schema) => assert.deepEqual(schema.enum, schema.enum?.toSorted(), path));
  });
});

describe('protobuf layouts of built-in kinds', () => {
  test('numbers are unique within a message', () => {
    for (const kind of [...builtInKinds, ...reviewKinds]) {
      walkProtobuf(kind.versions[0]?.protobuf ?? {}, message => {
        const numbers = Object.values(message).map(field => field.number);
        assert.equal(new Set(numbers).size, numbers.length, `${nameOf(kind)}: ${Object.keys(message).join()}`);
      });
    }
  });

  test('every kind has one, with its metadata in field 1', () => {
    for (const kind of [...builtInKinds, ...reviewKinds]) {
      const layout = kind.versions[0]?.protobuf;
      assert.ok(layout !== undefined, nameOf(kind));
      if (kind.kind !== 'DeleteOptions') assert.equal(layout['metadata']?.type, objectMetaProtobuf, nameOf(kind));
    }
  });
});

describe('declarations of built-in kinds', () => {
  test('are unique by kind and by resource', () => {
    const all = [...builtInKinds, ...reviewKinds];
    assert.equal(new Set(all.map(nameOf)).size, all.length);
    assert.equal(new Set(all.map(kind => `${kind.plural}.${kind.group}`)).size, all.length);
  });

  test('short names are unique but for the two kinds of events', () => {
    const names = builtInKinds.filter(kind => kind.group !== 'events.k8s.io').flatMap(kind => kind.shortNames ?? []);
    assert.equal(new Set(names).size, names.length);
  });

  test('take strategic merge and unconditional updates', () => {
    for (const kind of builtInKinds) {
      assert.ok(kind.allowsStrategicMerge && kind.allowsUnconditionalUpdate, nameOf(kind));
    }
  });

  test('only some keep a generation', () => {
    const keeping = builtInKinds.filter(kind => kind.keepsGeneration ?? true).map(kind => kind.plural);
    assert.deepEqual(keeping.sort(), [
      'cronjobs',
      'customresourcedefinitions',
      'daemonsets',
      'deployments',
      'endpointslices',
      'ingresses',
      'jobs',
      'networkpolicies',
      'poddisruptionbudgets',
      'replicasets',
      'replicationcontrollers',
      'statefulsets',
    ]);
  });

  test('kubectl get all shows what it shows elsewhere', () => {
    const shown = builtInKinds.filter(kind => kind.categories?.includes('all')).map(kind => kind.plural);
    assert.deepEqual(shown.sort(), [
      'cronjobs',
      'daemonsets',
      'deployments',
      'horizontalpodautoscalers',
      'jobs',
      'pods',
      'replicasets',
      'replicationcontrollers',
      'services',
      'statefulsets',
    ]);
  });

  test('a status sub-resource is declared where there is a status', () => {
    for (const kind of builtInKinds) {
      const version = kind.versions[0];
      const hasStatus = version?.schema.properties?.['status'] !== undefined;
      assert.equal(version?.subresources?.status ?? false, hasStatus, nameOf(kind));
    }
  });

  test('columns survive an object that has nothing but a name', () => {
    for (const kind of builtInKinds) {
      const object = { apiVersion: 'v1', kind: kind.kind, metadata: { name: 'x' } };
      for (const column of kind.versions[0]?.columns ?? []) {
        assert.doesNotThrow(() => column.cell?.(object, new Date(0)), `${nameOf(kind)} ${column.name}`);
      }
    }
  });
});
