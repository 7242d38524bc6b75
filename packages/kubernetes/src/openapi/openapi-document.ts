import { formatApiVersion, type KindDeclaration } from '@chandlery/api';
import type { CatalogueVersion } from '../discovery/catalogue.ts';
import { type ServedResource, servedResources } from '../discovery/served-resource.ts';
import { kindSchema, listSchema, unknownKindSchema } from './kind-schemas.ts';
import { metaSchemas } from './meta-schemas.ts';
import { pathsOf } from './paths.ts';
import { schemaName } from './schema-name.ts';

/** The OpenAPI 3 document of one group version. Among `reviews` are the bodies of sub-resources. */
export function openapiDocument(
  { group, version, resources }: CatalogueVersion,
  reviews: readonly KindDeclaration[],
): object {
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: formatApiVersion({ group, version }) },
    paths: Object.fromEntries(resources.flatMap(resource => Object.entries(pathsOf(resource)))),
    components: {
      schemas: schemasOf(resources, reviews),
      securitySchemes: {
        BearerToken: { type: 'http', scheme: 'bearer', description: 'A token in the Authorization header.' },
      },
    },
  };
}

/** Schemas by name, sorted, so that equal content is equal bytes. */
function schemasOf(resources: readonly ServedResource[], reviews: readonly KindDeclaration[]): Record<string, object> {
  const schemas = new Map([...Object.entries(metaSchemas), ...bodySchemas(resources, reviews)]);
  for (const resource of resources) {
    const { verbs, listKind } = resource;
    if (verbs.includes('list')) schemas.set(schemaName({ ...resource, kind: listKind }), listSchema(resource));
    schemas.set(schemaName(resource), kindSchema(resource));
  }
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What sub-resources send and answer, often of another group. */
function bodySchemas(resources: readonly ServedResource[], reviews: readonly KindDeclaration[]): [string, object][] {
  const known = new Map(reviews.flatMap(servedResources).map(review => [schemaName(review), review]));
  return resources.flatMap(({ subresources }) =>
    subresources.map(({ responseKind }): [string, object] => {
      const name = schemaName(responseKind);
      const body = known.get(name);
      return [name, body === undefined ? unknownKindSchema(responseKind) : kindSchema(body)];
    }),
  );
}
