/**
 * The words everything shares: objects, kinds, schemas, selectors, errors.
 *
 * Nothing here does any input or output, and nothing here knows a domain. Start with {@link KubeObject} and
 * {@link KindDeclaration}; everything that goes wrong is a {@link ChandleryError}.
 */
export {
  type ApiErrorCode,
  alreadyExists,
  apiError,
  apiErrorCodes,
  badRequest,
  conflict,
  fieldCause,
  invalid,
  invalidOptions,
  methodNotAllowed,
  notFound,
  notServed,
} from './api-errors.ts';
export { conditionsOf, findCondition } from './conditions.ts';
export { anything, commonStatus, immutable, keyedList, userInfo } from './custom-kind/common-schemas.ts';
export {
  type CustomKind,
  type CustomObject,
  defineKind,
  type KindDefinition,
  type ObjectOf,
  partialListsAnnotation,
  type Rule,
  revisionDaysAnnotation,
} from './custom-kind/define-kind.ts';
export { displayNameAnnotation, displayNameOf } from './display-name.ts';
export { parseDurationMs } from './duration.ts';
export {
  ChandleryError,
  type ChandleryErrorOptions,
  type ErrorCause,
  type ErrorDetails,
  isError,
  toError,
} from './errors.ts';
export { firstRepeated } from './first-repeated.ts';
export {
  formatApiVersion,
  type GroupResource,
  type GroupVersion,
  type GroupVersionKind,
  isKubernetesGroup,
  parseApiVersion,
} from './group-version.ts';
export { int64Of, isInteger } from './json/big-integers.ts';
export { canonicalizeNumbers } from './json/canonical-numbers.ts';
export { isDeeperThan } from './json/is-deeper-than.ts';
export {
  canonicalJson,
  cloneJson,
  getOwn,
  isJsonObject,
  isRecord,
  isSameJson,
  mergeDiff,
  setOwn,
} from './json/json-values.ts';
export { findClosingQuote, hasLongDigits, parseJson, parsingJson } from './json/parse-json.ts';
export {
  type CompiledJsonPath,
  compileJsonPath,
  getAtSimplePath,
  type JsonPathBudget,
  jsonPathBudget,
  parseSimplePath,
  setAtSimplePath,
} from './json-path.ts';
export type {
  BodyLimits,
  Column,
  KindDeclaration,
  KindVersion,
  KindView,
  ProtobufField,
  ProtobufMessage,
  ProtobufType,
  ScaleSubresource,
  Subresources,
  UniqueKey,
  VersionConversion,
} from './kind.ts';
export {
  auditFields,
  builtInKinds,
  fillDependentDefaults,
  hasDependentDefaults,
  objectMetaProtobuf,
  objectMetaSchema,
  reviewKinds,
} from './kinds/index.ts';
export { listPages } from './list-pages.ts';
export {
  type NameRule,
  validateDns1035Label,
  validateDnsLabel,
  validateDnsSubdomain,
  validateLabelValue,
  validateName,
  validatePathSegment,
  validateQualifiedName,
} from './names.ts';
export type {
  Condition,
  JsonObject,
  JsonValue,
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from './object.ts';
export { maxAnnotationBytes, type ObjectMetaRules, validateObjectMeta } from './object-meta.ts';
export { byCreation } from './object-order.ts';
export { podFailure } from './pod-failure.ts';
export {
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type QuantityFormat,
  tryParseQuantity,
} from './quantity.ts';
export { authored, type RevisionEntry } from './revisions.ts';
export type { StructuralSchema } from './schema.ts';
export {
  type FieldRequirement,
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from './selectors/field-selector.ts';
export type { LabelOperator, LabelRequirement } from './selectors/label-requirement.ts';
export {
  formatLabelSelector,
  fromLabelSelectorObject,
  type LabelSelector,
  type LabelSelectorObject,
  matchesLabels,
  parseLabelSelector,
} from './selectors/label-selector.ts';
export { type ObjectState, objectStates, type Situation, situationOf } from './situation.ts';
export { firstErrorIn } from './text/first-error.ts';
export { compileLike, type TextMatcher } from './text/like-pattern.ts';
export { logRecordIn } from './text/log-record.ts';
export {
  formatAge,
  formatDuration,
  formatElapsed,
  formatMicroTime,
  formatTime,
  isCalendarDay,
  isTime,
  parseTime,
} from './time.ts';
export { minTokenRenewalMs, tokenRenewalShare } from './token-life.ts';
export { traceparentAnnotation, traceparentOf } from './trace-annotation.ts';
export { bookmarkIntervalMs, watchIdleTimeoutMs } from './watch-timing.ts';
