import type { GroupVersionKind } from '@chandlery/api';
import { packageOfGroup } from '../discovery/well-known-groups.ts';

/** The name under which a kind's schema is published: `io.k8s.api.apps.v1.Deployment`, `com.example.stable.v1.CronTab`. */
export const schemaName = ({ group, version, kind }: GroupVersionKind): string =>
  `${packageOfGroup(group)}.${version}.${kind}`;

/** The name of a schema that all kinds share. */
export const metaSchemaName = (kind: string): string => `io.k8s.apimachinery.pkg.apis.meta.v1.${kind}`;

/** A reference to another schema of the document. */
export interface SchemaReference {
  readonly $ref: string;
}

export const refTo = (name: string): SchemaReference => ({ $ref: `#/components/schemas/${name}` });

/** A reference that says something of its own; a plain `$ref` would hide it. */
export const describedRef = (name: string, description: string): object => ({ description, allOf: [refTo(name)] });
