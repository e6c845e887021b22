package money

import "strings"

// currencies are the codes of ISO 4217 by their number of decimals, each followed by a space.
var currencies = [...]string{
	0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF ",
	2: "" +
		"AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP " +
		"CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR " +
		"IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN " +
		"NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP " +
		"STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG ",
	3: "BHD IQD JOD KWD LYD OMR TND ",
	4: "CLF UYW ",
}

// CurrencyDecimals returns the decimals of a currency in ISO 4217, and whether they are certain. A code that is not
// in ISO 4217, such as that of a token, has an uncertain two. golang.org/x/text/currency has the decimals of prices
// instead.
func CurrencyDecimals(currency string) (decimals int, isCertain bool) {
	for decimals, codes := range currencies {
		if len(currency) == 3 && strings.Contains(codes, currency+" ") {
			return decimals, true
		}
	}
	return 2, false
}
