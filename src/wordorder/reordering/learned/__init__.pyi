from wordorder.reordering.learned.examples import OrderExamples as OrderExamples
from wordorder.reordering.learned.examples import order_examples as order_examples
from wordorder.reordering.learned.learned_order import LearnedOrder as LearnedOrder
from wordorder.reordering.learned.learned_order import OrderLearner as OrderLearner
from wordorder.reordering.learned.learned_order import OrderModel as OrderModel
from wordorder.reordering.learned.learned_order import load_learned as load_learned
from wordorder.reordering.learned.learned_order import save_learned as save_learned
