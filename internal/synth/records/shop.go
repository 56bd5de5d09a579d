package records

import (
	"iter"
	"math"
	"math/rand/v2"
	"strconv"
	"time"
)

// Shop describes the products of a shop.
type Shop struct {
	Products int
	Seed     uint64
}

// Product is one product of a shop. Their order has nothing to do with their values.
type Product struct {
	ID       string
	Title    string // brand, words of the category, other words
	Brand    string
	Category string
	Colors   []string // none to three, in the order of Colors
	Price    float64  // in hundredths, from 0.5 to 50,000
	Rating   float64  // in tenths, from 1 to 5; 0: none yet
	Sold     int64    // pieces
	Added    time.Time
}

// Colors are those of products.
var Colors = []string{"black", "blue", "brown", "gold", "gray", "green", "orange", "pink", "purple", "red", "silver", "white"}

// The shape of a shop.
const (
	brands        = 2000
	categories    = 150
	categoryWords = 30 // words that titles of a category share
	shopWords     = 20_000
	rated         = 0.6 // part of the products
	addedDays     = 2000
)

// shopStart is when the first product may have been added.
var shopStart = time.Date(2020, 6, 1, 0, 0, 0, 0, time.UTC)

// shop draws products.
type shop struct {
	rng        *rand.Rand
	brands     []string
	categories []string
	prices     []float64 // logarithms of the median price of each category
	brand      zipf
	category   zipf
	own        zipf // word of a category
	word       zipf
	color      zipf
	title      []byte
}

func newShop(seed uint64) *shop {
	g := &shop{rng: rand.New(rand.NewPCG(seed, 2)), brands: words(langBrand, brands), categories: words(langCategory, categories),
		brand: newZipf(brands, 5), category: newZipf(categories, 5), own: newZipf(categoryWords, 1), word: newZipf(shopWords, 2.7), color: newZipf(len(Colors), 2)}
	for range categories {
		g.prices = append(g.prices, math.Log(25)+float64(0.9*g.rng.NormFloat64()))
	}
	return g
}

// All returns the products.
func (s Shop) All() iter.Seq[*Product] {
	return func(yield func(*Product) bool) {
		g := newShop(s.Seed)
		for i := range s.Products {
			if !yield(g.product(i)) {
				return
			}
		}
	}
}

func (g *shop) product(i int) *Product {
	category, brand := g.category.draw(g.rng), g.brand.draw(g.rng)
	p := &Product{ID: "p" + strconv.Itoa(i), Brand: g.brands[brand], Category: g.categories[category]}
	b := append(g.title[:0], p.Brand...)
	for n := 2 + g.rng.IntN(3); n > 0; n-- {
		b = g.categoryWord(append(b, ' '), category)
	}
	for n := 1 + g.rng.IntN(5); n > 0; n-- {
		b = appendWord(append(b, ' '), langWord, g.word.draw(g.rng))
	}
	g.title = b
	p.Title = string(b)
	p.Price = math.Exp(g.prices[category] + float64(0.7*g.rng.NormFloat64()))
	p.Price = math.Round(min(max(p.Price, 0.5), 50_000)*100) / 100
	if g.rng.Float64() < rated {
		p.Rating = math.Round(min(max(4+float64(0.6*g.rng.NormFloat64()), 1), 5)*10) / 10
	}
	p.Sold = int64(math.Exp(float64(g.rng.Float64() * math.Log(100_000))))
	p.Added = shopStart.AddDate(0, 0, g.rng.IntN(addedDays)).Add(time.Duration(g.rng.IntN(86400)) * time.Second)
	p.Colors = g.colors()
	return p
}

// categoryWord appends a word that is frequent in a category.
func (g *shop) categoryWord(dst []byte, category int) []byte {
	return appendWord(dst, langWord, shopWords+category*categoryWords+g.own.draw(g.rng))
}

func (g *shop) colors() (colors []string) {
	has := 0
	for n := g.rng.IntN(4); n > 0; n-- {
		has |= 1 << g.color.draw(g.rng)
	}
	for i, c := range Colors {
		if has>>i&1 != 0 {
			colors = append(colors, c)
		}
	}
	return colors
}
