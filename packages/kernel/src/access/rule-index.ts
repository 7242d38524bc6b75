import { formatResource, isPathRequest, type PolicyRule, type RequestAttributes, ruleAllows } from './rbac.ts';

/** Fewer rules are asked one by one in less time than an index takes. */
const minIndexed = 20;

/** Rules of roles never change; an index lives as long as its rules do. */
const indexes = new WeakMap<readonly PolicyRule[], RuleIndex>();

/** Whether one of the rules allows the request. What it costs does not grow with rules on other resources. */
export function rulesAllow(rules: readonly PolicyRule[], attributes: RequestAttributes): boolean {
  const allows = (rule: PolicyRule): boolean => ruleAllows(rule, attributes);
  if (rules.length < minIndexed) return rules.some(allows);
  let index = indexes.get(rules);
  if (index === undefined) {
    index = new RuleIndex(rules);
    indexes.set(rules, index);
  }
  return index.candidates(attributes).some(candidates => candidates.some(allows));
}

/** Rules by the resources that they name. */
class RuleIndex {
  readonly #byResource = new Map<string, PolicyRule[]>();
  readonly #onPaths: PolicyRule[] = [];

  constructor(rules: readonly PolicyRule[]) {
    for (const rule of rules) {
      for (const resource of new Set(rule.resources)) this.#at(resource).push(rule);
      if ((rule.nonResourceURLs ?? []).length > 0) this.#onPaths.push(rule);
    }
  }

  /** Every rule that could allow the request is in one of these lists. */
  candidates(attributes: RequestAttributes): readonly (readonly PolicyRule[])[] {
    if (isPathRequest(attributes)) return [this.#onPaths];
    const names = ['*', formatResource(attributes), ...(attributes.subresource ? [`*/${attributes.subresource}`] : [])];
    return names.map(name => this.#byResource.get(name) ?? []);
  }

  #at(resource: string): PolicyRule[] {
    const known = this.#byResource.get(resource);
    if (known !== undefined) return known;
    const rules: PolicyRule[] = [];
    this.#byResource.set(resource, rules);
    return rules;
  }
}
