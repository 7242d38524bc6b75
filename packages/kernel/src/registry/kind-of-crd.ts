import {
  type Column,
  type KindDeclaration,
  type KindVersion,
  type KubeObject,
  partialListsAnnotation,
  revisionDaysAnnotation,
  type StructuralSchema,
} from '@chandlery/api';
import { maxRevisionDays } from '../revisions/retention.ts';

/** The parts of a CustomResourceDefinition that the kernel reads. */
export interface CustomResourceDefinition extends KubeObject {
  spec: {
    group: string;
    scope: 'Namespaced' | 'Cluster';
    names: CrdNames;
    versions: CrdVersion[];
    conversion?: { strategy: string };
    preserveUnknownFields?: boolean;
  };
  status?: {
    acceptedNames?: Partial<CrdNames>;
    storedVersions?: string[];
    conditions?: { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }[];
  };
}

export interface CrdNames {
  plural: string;
  singular?: string;
  kind: string;
  listKind?: string;
  shortNames?: string[];
  categories?: string[];
}

export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: boolean;
  deprecationWarning?: string;
  schema?: { openAPIV3Schema?: StructuralSchema };
  subresources?: {
    status?: object;
    scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath?: string };
  };
  additionalPrinterColumns?: (Omit<Column, 'cell'> & { jsonPath: string })[];
  selectableFields?: { jsonPath: string }[];
}

/** The declaration that a CRD stands for: the same shape that built-in kinds have. */
export function kindOfCrd({ metadata, spec }: CustomResourceDefinition): KindDeclaration {
  const { names } = spec;
  return {
    group: spec.group,
    kind: names.kind,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    scope: spec.scope,
    ...(metadata.annotations?.[partialListsAnnotation] === 'true' ? { hasPartialLists: true } : {}),
    ...revisionDaysOf(metadata.annotations?.[revisionDaysAnnotation]),
    versions: [...spec.versions].sort((a, b) => compareVersionPriority(a.name, b.name)).map(kindVersion),
  };
}

/** What is no number of days within the limit says nothing. */
function revisionDaysOf(text = ''): Pick<KindDeclaration, 'revisionDays'> {
  const days = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  return days <= maxRevisionDays ? { revisionDays: days } : {};
}

function kindVersion(version: CrdVersion): KindVersion {
  const { subresources } = version;
  return {
    name: version.name,
    served: version.served,
    storage: version.storage,
    deprecated: version.deprecated ?? false,
    deprecationWarning: version.deprecationWarning,
    schema: version.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    subresources: { status: subresources?.status !== undefined, scale: subresources?.scale },
    columns: version.additionalPrinterColumns,
    selectableFields: version.selectableFields?.map(field => field.jsonPath) ?? [],
  };
}

const versionPattern = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/** Kubernetes' order of preference: GA before beta before alpha, higher numbers first, anything else last by name. */
export function compareVersionPriority(a: string, b: string): number {
  const [left, right] = [rankOfVersion(a), rankOfVersion(b)];
  if (left === undefined || right === undefined) {
    if (left !== right) return left === undefined ? 1 : -1;
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return right.stability - left.stability || right.major - left.major || right.minor - left.minor;
}

function rankOfVersion(version: string): { stability: number; major: number; minor: number } | undefined {
  const match = versionPattern.exec(version);
  if (match === null) return undefined;
  const stability = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { stability, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
