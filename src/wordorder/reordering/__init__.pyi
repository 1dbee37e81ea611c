from wordorder.reordering.precedence import PrecedenceRules as PrecedenceRules
from wordorder.reordering.rule_writing import write_rules as write_rules
from wordorder.reordering.rules import RuleSet as RuleSet
from wordorder.reordering.rules import open_rules as open_rules
