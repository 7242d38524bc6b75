import { formatApiVersion, type KindDeclaration } from '@chandlery/api';
import type { DiscoveryVersion } from '../discovery/discovery-groups.ts';
import { type ServedResource, servedResources } from '../discovery/served-resource.ts';
import { kindSchema, unknownKindSchema } from './kind-schemas.ts';
import { metaSchemas } from './meta-schemas.ts';
import { fragmentOf } from './resource-fragment.ts';
import { schemaName } from './schema-name.ts';

const securitySchemes = {
  BearerToken: { type: 'http', scheme: 'bearer', description: 'A token in the Authorization header.' },
};

/** The OpenAPI 3 document of one group version, as JSON. Among `reviews` are the bodies of sub-resources. */
export function openapiDocument(
  { group, version, resources }: DiscoveryVersion,
  reviews: readonly KindDeclaration[],
): Buffer {
  const info = { title: 'Kubernetes', version: formatApiVersion({ group, version }) };
  const paths = resources.map(resource => fragmentOf(resource).paths).filter(text => text !== '');
  const schemas = schemasOf(resources, reviews).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return Buffer.from(
    `{"openapi":"3.0.0","info":${JSON.stringify(info)},"paths":{${paths.join(',')}},"components":{"schemas":{${schemas.join(',')}},"securitySchemes":${JSON.stringify(securitySchemes)}}}`,
  );
}

type NamedSchema = readonly [name: string, json: string];

/** Schemas by name, sorted, so that equal content is equal bytes. */
function schemasOf(resources: readonly ServedResource[], reviews: readonly KindDeclaration[]): NamedSchema[] {
  const schemas = new Map([
    ...Object.entries(metaSchemas).map(([name, schema]): NamedSchema => [name, JSON.stringify(schema)]),
    ...bodySchemas(resources, reviews),
    ...resources.flatMap(resource => fragmentOf(resource).schemas),
  ]);
  return [...schemas].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** What sub-resources send and answer, often of another group. */
function bodySchemas(resources: readonly ServedResource[], reviews: readonly KindDeclaration[]): NamedSchema[] {
  const known = new Map(reviews.flatMap(servedResources).map(review => [schemaName(review), review]));
  const kinds = resources.flatMap(({ subresources }) => subresources.map(({ responseKind }) => responseKind));
  const bodies = new Map(kinds.map(kind => [schemaName(kind), kind]));
  return [...bodies].map(([name, kind]): NamedSchema => {
    const body = known.get(name);
    return [name, JSON.stringify(body === undefined ? unknownKindSchema(kind) : kindSchema(body))];
  });
}
