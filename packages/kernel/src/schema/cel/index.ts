/** The rules of `x-kubernetes-validations`: the only place that knows the library behind them. */
export { checkRules } from './check-rules.ts';
export { compileRuleValidator, type RuleValidator } from './rule-validator.ts';
